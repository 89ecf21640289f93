/**
 * The completion scripts of shells. Each passes the words of the line up to the cursor to
 * `sitetree __complete`, which prints the proposals; see `completions.ts`.
 *
 * @module
 */

/** The shells that completions exist for. */
export type ShellName = "bash" | "zsh" | "fish";

/** For bash 3.2 and later. */
const BASH = `# bash completion of sitetree
_sitetree() {
  local line current="\${COMP_WORDS[COMP_CWORD]}"
  # bash splits --output=FILE into three words
  [ "$current" = "=" ] && current=""
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :files)
        local IFS=$'\\n'
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -f -- "$current")) ;;
      :nospace) compopt -o nospace 2>/dev/null ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(sitetree __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _sitetree sitetree
`;

/** To source after `compinit`, or to keep as `_sitetree` in `fpath`. */
const ZSH = `#compdef sitetree
# zsh completion of sitetree
_sitetree() {
  local line
  local -a proposals space
  for line in "\${(@f)$(sitetree __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    case "$line" in
      :files)
        compset -P '-*='
        _files
        return ;;
      :nospace) space=(-S '') ;;
      ?*) proposals+=("\${line/$'\\t'/:}") ;;
    esac
  done
  _describe sitetree proposals "\${space[@]}"
}
# Autoloaded from fpath, this file is the body of the function
if [[ "\${funcstack[1]}" == _sitetree ]]; then
  _sitetree "$@"
else
  compdef _sitetree sitetree
fi
`;

const FISH = `# fish completion of sitetree
function __sitetree_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (sitetree __complete $words[2..] 2>/dev/null)
        switch $line
            case :files
                set -l option (string match -r -- '^--[^=]*=' $words[-1])
                string replace -r '^' -- "$option" (__fish_complete_path (string replace -- "$option" '' $words[-1]))
            case :nospace
            case '*'
                echo $line
        end
    end
end
complete -c sitetree -f -a '(__sitetree_complete)'
`;

/** The scripts. */
export const SCRIPTS: Readonly<Record<ShellName, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
