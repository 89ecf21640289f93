/**
 * Patterns with wildcards that are matched together, in one pass over a text.
 *
 * The words between the wildcards form an Aho-Corasick automaton, which finds all their occurrences. A
 * pattern waits for its words one after the other, and takes the earliest occurrence of each, which
 * leaves the most text to the words after it.
 *
 * With patterns of M characters in all, building takes M steps. A text of n characters takes n steps,
 * one for each word that ends at a character (these differ in length, so they are less than √2M), and
 * one for each word that a pattern takes (less than M). How the wildcards are arranged does not matter.
 *
 * @module
 */

/** Set of patterns. */
export class PatternSet {
  // parts of all patterns from 1, one pattern after the other: each is a word
  readonly #wordOf: number[] = [0];
  readonly #patternOf: number[] = [-1];
  /** Offset before which a part must not begin. */
  readonly #offsets: Int32Array;
  /** Part that waits for the same word, and has waited less long; 0 if there is none. */
  readonly #later: Int32Array;

  // words from 1
  readonly #lengths: number[] = [0];
  /** Longest other word that a word ends with; 0 if there is none. */
  readonly #shorter: number[] = [0];
  /** Parts that begin a pattern. */
  readonly #beginnings: number[][] = [[]];
  // parts that wait for a word, those first that have waited longest; their offsets do not decrease
  readonly #first: Int32Array;
  readonly #last: Int32Array;
  /** Number of the text that they wait in. */
  readonly #text: Float64Array;
  #texts = 0;

  // nodes of the trie of words; 0 is the root, and no node otherwise
  #nodes = 1;
  readonly #code: Uint8Array;
  readonly #child: Int32Array;
  readonly #sibling: Int32Array;
  /** Node of the longest other text in the trie that the text of a node ends with. */
  readonly #suffix: Int32Array;
  /** Longest word that the text of a node ends with; 0 if there is none. */
  readonly #word: Int32Array;

  /**
   * Takes patterns of ASCII, whose wildcard is `*`. They match from the beginning of a text, and do not
   * begin with a wildcard.
   */
  constructor(patterns: readonly string[]) {
    const size = patterns.reduce((sum, { length }) => sum + length, 1);
    this.#code = new Uint8Array(size);
    this.#child = new Int32Array(size);
    this.#sibling = new Int32Array(size);
    this.#suffix = new Int32Array(size);
    this.#word = new Int32Array(size);
    for (const [pattern, text] of patterns.entries()) {
      const words = text.split("*").filter((word) => word !== "").map((word) => this.#add(word));
      this.#beginnings[words[0]!]!.push(this.#wordOf.length);
      for (const word of words) {
        this.#wordOf.push(word);
        this.#patternOf.push(pattern);
      }
    }
    this.#link();
    this.#offsets = new Int32Array(this.#wordOf.length);
    this.#later = new Int32Array(this.#wordOf.length);
    this.#first = new Int32Array(this.#lengths.length);
    this.#last = new Int32Array(this.#lengths.length);
    this.#text = new Float64Array(this.#lengths.length);
  }

  /** Returns the index of the first pattern that counts and matches; `Infinity` if there is none. */
  find(text: string, counts: (pattern: number) => boolean): number {
    let best = Infinity;
    /** Moves on a pattern, a part of which ends at an offset. */
    const advance = (part: number, end: number) => {
      const pattern = this.#patternOf[part]!;
      if (pattern >= best) return;
      if (this.#patternOf[part + 1] !== pattern) best = pattern;
      else this.#wait(part + 1, end);
    };
    this.#texts++;
    let node = 0;
    for (let end = 1; end <= text.length; end++) {
      node = this.#next(node, text.charCodeAt(end - 1));
      for (let word = this.#word[node]!; word !== 0; word = this.#shorter[word]!) {
        const start = end - this.#lengths[word]!;
        if (start === 0) {
          for (const part of this.#beginnings[word]!) {
            if (counts(this.#patternOf[part]!)) advance(part, end);
          }
        } else if (this.#text[word] === this.#texts) {
          let part = this.#first[word]!;
          for (; part !== 0 && this.#offsets[part]! <= start; part = this.#later[part]!) {
            advance(part, end);
          }
          this.#first[word] = part;
        }
      }
    }
    return best;
  }

  /** Lets a part wait for its word, from an offset on. */
  #wait(part: number, offset: number): void {
    const word = this.#wordOf[part]!;
    const isFirst = this.#text[word] !== this.#texts || this.#first[word] === 0;
    if (isFirst) this.#first[word] = part;
    else this.#later[this.#last[word]!] = part;
    this.#last[word] = part;
    this.#text[word] = this.#texts;
    this.#offsets[part] = offset;
    this.#later[part] = 0;
  }

  /** Adds a word to the trie, unless it is there. */
  #add(text: string): number {
    let node = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      let child = this.#childOf(node, code);
      if (child === 0) {
        child = this.#nodes++;
        this.#code[child] = code;
        this.#sibling[child] = this.#child[node]!;
        this.#child[node] = child;
      }
      node = child;
    }
    if (this.#word[node] === 0) {
      this.#word[node] = this.#lengths.push(text.length) - 1;
      this.#shorter.push(0);
      this.#beginnings.push([]);
    }
    return this.#word[node]!;
  }

  /** Finds the suffixes of nodes and words, those of shorter texts first. */
  #link(): void {
    const queue = new Int32Array(this.#nodes);
    for (let read = 0, written = 1; read < written; read++) {
      const node = queue[read]!;
      for (let child = this.#child[node]!; child !== 0; child = this.#sibling[child]!) {
        queue[written++] = child;
        const suffix = node === 0 ? 0 : this.#next(this.#suffix[node]!, this.#code[child]!);
        this.#suffix[child] = suffix;
        const word = this.#word[child]!;
        if (word === 0) this.#word[child] = this.#word[suffix]!;
        else this.#shorter[word] = this.#word[suffix]!;
      }
    }
  }

  /** Returns the node of the longest text in the trie that a node's text and a character end with. */
  #next(node: number, code: number): number {
    for (let from = node;; from = this.#suffix[from]!) {
      const child = this.#childOf(from, code);
      if (child !== 0 || from === 0) return child;
    }
  }

  #childOf(node: number, code: number): number {
    let child = this.#child[node]!;
    while (child !== 0 && this.#code[child] !== code) child = this.#sibling[child]!;
    return child;
  }
}
