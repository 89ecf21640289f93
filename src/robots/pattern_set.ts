/**
 * Patterns with wildcards that are matched together, in one pass over a text.
 *
 * The words between the wildcards form an Aho-Corasick automaton, which finds all their occurrences. The
 * patterns form a tree, in which those that begin with the same words share these. A pattern waits for
 * its words one after the other, only if they occur in the text at all, and takes the earliest
 * occurrence of each, which leaves the most text to the words after it.
 *
 * With patterns of M characters in all, building takes M steps. A text of n characters takes n
 * steps, one for each word that ends at a character (these differ in length, so they are less than
 * √2M), and one for each word that a pattern waits for (less than M, and none for words that are not in
 * the text). How the wildcards are arranged does not matter.
 *
 * @module
 */

const NONE = 0x7fffffff;
/** Bytes of a part, and of the map of the parts after it, about. */
const PART_BYTES = 72, MAP_BYTES = 224;

/** A word after the words of another part, with all patterns that begin with these words. */
class Part {
  readonly word: number;
  /** Part after it, or those after it by their words: most have one at most, and maps are large. */
  next: Part | Map<number, Part> | undefined = undefined;
  /** First pattern that ends with it. */
  end = NONE;
  /** First pattern that begins with it. */
  best = NONE;
  /** Offset before which it must not begin. */
  offset = 0;
  /** Part that waits for the same word, and has waited less long. */
  later: Part | undefined = undefined;

  constructor(word: number) {
    this.word = word;
  }
}

function partAfter({ next }: Part, word: number): Part | undefined {
  if (next instanceof Map) return next.get(word);
  return next?.word === word ? next : undefined;
}

export class PatternSet {
  readonly #root = new Part(0);
  readonly #trie: Trie;
  // words from 1
  readonly #lengths: readonly number[];
  /** Longest other word that a word ends with; 0 if there is none. */
  readonly #shorter: Int32Array;
  // parts that wait for a word, those first that have waited longest; their offsets do not decrease
  readonly #first: (Part | undefined)[];
  readonly #last: (Part | undefined)[];
  /** Number of the last text that has a word. */
  readonly #text: Float64Array;
  #texts = 0;
  /** Words of the text. */
  #found: number[] = [];
  #best = NONE;
  #bytes = 0;

  /**
   * Takes patterns of ASCII, whose wildcard is `*`. They match from the beginning of a text, and do not
   * begin with a wildcard.
   */
  constructor(patterns: readonly string[]) {
    const trie = this.#trie = new Trie(patterns.reduce((sum, { length }) => sum + length, 1));
    for (const [pattern, text] of patterns.entries()) {
      let part = this.#root;
      for (const word of text.split("*")) {
        if (word !== "") part = this.#partAfter(part, trie.add(word));
        part.best = Math.min(part.best, pattern);
      }
      part.end = Math.min(part.end, pattern);
    }
    this.#lengths = trie.lengths;
    this.#shorter = trie.link();
    this.#first = new Array(this.#lengths.length).fill(undefined);
    this.#last = new Array(this.#lengths.length).fill(undefined);
    this.#text = new Float64Array(this.#lengths.length);
  }

  /** Bytes that it takes, about. */
  get bytes(): number {
    return this.#bytes + this.#trie.bytes + 36 * this.#lengths.length;
  }

  #partAfter(before: Part, word: number): Part {
    const known = partAfter(before, word);
    if (known !== undefined) return known;
    const part = new Part(word), { next } = before;
    this.#bytes += PART_BYTES;
    if (next instanceof Map) next.set(word, part);
    else if (next === undefined) before.next = part;
    else {
      before.next = new Map([[next.word, next], [word, part]]);
      this.#bytes += MAP_BYTES;
    }
    return part;
  }

  /** Returns the index of the first pattern that matches; `Infinity` if there is none. */
  find(text: string): number {
    this.#texts++;
    this.#found = [];
    this.#best = NONE;
    const hits = this.#hitsIn(text);
    for (let at = 0; at < hits.length; at += 2) {
      const end = hits[at + 1]!;
      for (let word = hits[at]!; word !== 0; word = this.#shorter[word]!) {
        const start = end - this.#lengths[word]!;
        if (start === 0) this.#reach(partAfter(this.#root, word), end);
        let part = this.#first[word];
        for (; part !== undefined && part.offset <= start; part = part.later) {
          this.#reach(part, end);
        }
        this.#first[word] = part;
      }
    }
    return this.#best === NONE ? Infinity : this.#best;
  }

  /** Returns the longest words that end in a text, each with its end; remembers all that occur. */
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
        this.#first[word] = undefined;
        this.#found.push(word);
        word = this.#shorter[word]!;
      }
    }
    return hits;
  }

  /** Lets the parts after one that ends at an offset wait for their words. */
  #reach(part: Part | undefined, end: number): void {
    if (part === undefined || part.best >= this.#best) return;
    if (part.end < this.#best) this.#best = part.end;
    const { next } = part;
    if (next === undefined) return;
    if (next instanceof Map && next.size > this.#found.length) {
      for (const word of this.#found) this.#wait(next.get(word), end);
      return;
    }
    for (const after of next instanceof Map ? next.values() : [next]) {
      if (this.#text[after.word] === this.#texts) this.#wait(after, end);
    }
  }

  /** Lets a part wait for its word, from an offset on. */
  #wait(part: Part | undefined, offset: number): void {
    if (part === undefined || part.best >= this.#best) return;
    const { word } = part;
    if (this.#first[word] === undefined) this.#first[word] = part;
    else this.#last[word]!.later = part;
    this.#last[word] = part;
    part.offset = offset;
    part.later = undefined;
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
