/**
 * Patterns with wildcards that are matched together, in one pass over a text.
 *
 * The words between the wildcards form an Aho-Corasick automaton, which finds all their occurrences. The
 * patterns form a tree, in which those that begin with the same words share these. A pattern waits for
 * its words one after the other, only if they occur in the text at all, and takes the earliest
 * occurrence of each, which leaves the most text to the words after it.
 *
 * With patterns of M characters in all, building takes M steps. A text of n characters takes n steps,
 * one for each word that ends at a character (these differ in length, so they are less than √2M), and
 * one for each word that a pattern could wait for (less than M). How the wildcards are arranged does
 * not matter.
 *
 * @module
 */

const NONE = 0x7fffffff;

export class PatternSet {
  // parts: words after the words of another part; 0 has none
  readonly #wordOf: Int32Array;
  /** A part after each part; 0 if there is none. */
  readonly #nextOf: Int32Array;
  /** Another part after the same part; 0 if there is none. */
  readonly #siblingOf: Int32Array;
  /** First pattern that ends with each part. */
  readonly #patternOf: Int32Array;
  /** First pattern that begins with each part. */
  readonly #bestOf: Int32Array;
  /** Offset before which a part must not begin. */
  readonly #offsets: Int32Array;
  /** Part that waits for the same word, and has waited less long; 0 if there is none. */
  readonly #later: Int32Array;

  // words from 1
  readonly #lengths: readonly number[];
  /** Longest other word that a word ends with; 0 if there is none. */
  readonly #shorter: Int32Array;
  /** Part of the patterns that begin with a word; 0 if there is none. */
  readonly #begun: Int32Array;
  // parts that wait for a word, those first that have waited longest; their offsets do not decrease
  readonly #first: Int32Array;
  readonly #last: Int32Array;
  /** Number of the last text that has a word. */
  readonly #text: Float64Array;
  #texts = 0;
  #best = NONE;

  readonly #trie: Trie;

  /**
   * Takes patterns of ASCII, whose wildcard is `*`. They match from the beginning of a text, and do not
   * begin with a wildcard.
   */
  constructor(patterns: readonly string[]) {
    const trie = this.#trie = new Trie(patterns.reduce((sum, { length }) => sum + length, 1));
    const lists = patterns.map((pattern) =>
      pattern.split("*").filter((word) => word !== "").map((word) => trie.add(word))
    );
    const words = this.#lengths = trie.lengths;
    this.#shorter = trie.link();
    const wordOf = [0], nextOf = [0], siblingOf = [0], patternOf = [NONE], bestOf = [0];
    const known = new Map<number, number>();
    for (const [pattern, list] of lists.entries()) {
      let part = 0;
      for (const word of list) {
        const key = part * words.length + word;
        let next = known.get(key);
        if (next === undefined) {
          known.set(key, next = wordOf.push(word) - 1);
          siblingOf.push(nextOf[part]!);
          nextOf[part] = next;
          nextOf.push(0);
          patternOf.push(NONE);
          bestOf.push(pattern);
        }
        part = next;
      }
      patternOf[part] = Math.min(patternOf[part]!, pattern);
    }
    this.#wordOf = Int32Array.from(wordOf);
    this.#nextOf = Int32Array.from(nextOf);
    this.#siblingOf = Int32Array.from(siblingOf);
    this.#patternOf = Int32Array.from(patternOf);
    this.#bestOf = Int32Array.from(bestOf);
    this.#offsets = new Int32Array(wordOf.length);
    this.#later = new Int32Array(wordOf.length);
    this.#begun = Int32Array.from(words, (_, word) => known.get(word) ?? 0);
    this.#first = new Int32Array(words.length);
    this.#last = new Int32Array(words.length);
    this.#text = new Float64Array(words.length);
  }

  get bytes(): number {
    return this.#trie.bytes + 28 * this.#wordOf.length + 28 * this.#lengths.length;
  }

  /** Returns the index of the first pattern that matches; `Infinity` if there is none. */
  find(text: string): number {
    this.#texts++;
    this.#best = NONE;
    const hits = this.#hitsIn(text);
    for (let at = 0; at < hits.length; at += 2) {
      const end = hits[at + 1]!;
      for (let word = hits[at]!; word !== 0; word = this.#shorter[word]!) {
        const start = end - this.#lengths[word]!;
        if (start === 0) this.#reach(this.#begun[word]!, end);
        let part = this.#first[word]!;
        for (; part !== 0 && this.#offsets[part]! <= start; part = this.#later[part]!) {
          this.#reach(part, end);
        }
        this.#first[word] = part;
      }
    }
    return this.#best === NONE ? Infinity : this.#best;
  }

  /** Returns the longest words that end in a text, each with its end; marks all that occur. */
  #hitsIn(text: string): number[] {
    const trie = this.#trie;
    const hits: number[] = [];
    let node = 0;
    for (let end = 1; end <= text.length; end++) {
      node = trie.next(node, text.charCodeAt(end - 1));
      const longest = trie.wordAt(node);
      if (longest === 0) continue;
      hits.push(longest, end);
      // those that a known word ends with are known too
      for (let word = longest; word !== 0 && this.#text[word] !== this.#texts;) {
        this.#text[word] = this.#texts;
        this.#first[word] = 0;
        word = this.#shorter[word]!;
      }
    }
    return hits;
  }

  /** Lets the parts after one that ends at an offset wait for their words, if the text has these. */
  #reach(part: number, end: number): void {
    if (part === 0 || this.#bestOf[part]! >= this.#best) return;
    this.#best = Math.min(this.#best, this.#patternOf[part]!);
    for (let next = this.#nextOf[part]!; next !== 0; next = this.#siblingOf[next]!) {
      const word = this.#wordOf[next]!;
      if (this.#text[word] !== this.#texts || this.#bestOf[next]! >= this.#best) continue;
      if (this.#first[word] === 0) this.#first[word] = next;
      else this.#later[this.#last[word]!] = next;
      this.#last[word] = next;
      this.#offsets[next] = end;
      this.#later[next] = 0;
    }
  }
}

/** Trie of the words. Its nodes are numbers; 0 is the root, and no node otherwise. */
class Trie {
  /** Lengths of the words, which are numbers from 1. */
  readonly lengths: number[] = [0];
  #nodes = 1;
  #code: Uint8Array;
  #child: Int32Array;
  #sibling: Int32Array;
  /** Node of the longest other text in the trie that the text of a node ends with. */
  #suffix = new Int32Array();
  /** Longest word that the text of a node ends with; 0 if there is none. */
  #word: Int32Array;

  constructor(maxNodes: number) {
    this.#code = new Uint8Array(maxNodes);
    this.#child = new Int32Array(maxNodes);
    this.#sibling = new Int32Array(maxNodes);
    this.#word = new Int32Array(maxNodes);
  }

  get bytes(): number {
    return 17 * this.#nodes;
  }

  add(text: string): number {
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
    return this.#word[node] ||= this.lengths.push(text.length) - 1;
  }

  /**
   * Finds the suffixes of nodes and words, those of shorter texts first. Returns the longest other word
   * that each word ends with; 0 if there is none.
   */
  link(): Int32Array {
    const nodes = this.#nodes;
    this.#code = this.#code.slice(0, nodes);
    this.#child = this.#child.slice(0, nodes);
    this.#sibling = this.#sibling.slice(0, nodes);
    this.#word = this.#word.slice(0, nodes);
    this.#suffix = new Int32Array(nodes);
    const shorter = new Int32Array(this.lengths.length);
    const queue = new Int32Array(nodes);
    for (let read = 0, written = 1; read < written; read++) {
      const node = queue[read]!;
      for (let child = this.#child[node]!; child !== 0; child = this.#sibling[child]!) {
        queue[written++] = child;
        const suffix = node === 0 ? 0 : this.next(this.#suffix[node]!, this.#code[child]!);
        this.#suffix[child] = suffix;
        const word = this.#word[child]!;
        if (word === 0) this.#word[child] = this.#word[suffix]!;
        else shorter[word] = this.#word[suffix]!;
      }
    }
    return shorter;
  }

  wordAt(node: number): number {
    return this.#word[node]!;
  }

  /** Returns the node of the longest text in the trie that a node's text and a character end with. */
  next(node: number, code: number): number {
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
