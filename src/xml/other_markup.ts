/**
 * Markup that opens and closes nothing: comments, CDATA, instructions and the DOCTYPE.
 *
 * @module
 */

import type { Elements } from "./elements.ts";
import type { Source } from "./source.ts";
import { COMPLETE, REFUSED, UNFINISHED } from "./markup_outcome.ts";
import type { TextOutlet } from "./text_outlet.ts";

const DECLARATIONS = ["<!--", "<![CDATA[", "<!DOCTYPE"] as const;
const INSTRUCTION = "<?";
type Start = typeof DECLARATIONS[number] | typeof INSTRUCTION;

const XML_DECLARATION_REGEXP = /^<\?xml[\s?]/;
const DOCTYPE_STOP_REGEXP = /[>["']/g;

/** Whether such markup begins somewhere. */
export type Beginning = "yes" | "no" | "wait";

/** Reads such markup, one piece after the other. */
export class OtherMarkup {
  readonly #source: Source;
  readonly #elements: Elements;
  readonly #outlet: TextOutlet;
  #start: Start = "<!--";
  /** The quotes in a DOCTYPE that reading stands in. */
  #quote = "";

  constructor(source: Source, elements: Elements, outlet: TextOutlet) {
    this.#source = source;
    this.#elements = elements;
    this.#outlet = outlet;
  }

  /** Begins with a `<!` that stands here, if it is one; `wait` where that cannot be told yet. */
  beginDeclaration(): Beginning {
    const { text, at, isLast } = this.#source;
    if (text.startsWith("<![CDATA[", at)) return this.#begin("<![CDATA[", 9);
    const start = text.slice(at, at + 9).toUpperCase();
    for (const declaration of DECLARATIONS) {
      if (start.startsWith(declaration)) {
        if (declaration === "<!DOCTYPE" && this.#elements.depth > 0) return "no";
        return this.#begin(declaration, declaration.length);
      }
      if (!isLast && start.length < declaration.length && declaration.startsWith(start)) {
        return "wait";
      }
    }
    return "no";
  }

  /** Begins with a `<?` that stands here. */
  beginInstruction(): Beginning {
    const source = this.#source;
    const start = source.text.slice(source.at, source.at + 6);
    if (start.length < 6 && !source.isLast) return "wait";
    const { depth, rootClosed } = this.#elements;
    const isLate = this.#outlet.anythingBefore && depth === 0 && !rootClosed;
    if (isLate && XML_DECLARATION_REGEXP.test(start)) {
      source.fault("xml-leading-junk", "Something stands before the XML declaration", source.at);
    }
    return this.#begin(INSTRUCTION, 2);
  }

  /** Reads on, as far as the text at hand goes. */
  read(): number {
    switch (this.#start) {
      case "<!--":
        return this.#readTo("-->", false);
      case "<![CDATA[":
        return this.#readTo("]]>", true);
      case "<!DOCTYPE":
        return this.#readDoctype();
      default:
        return this.#readTo("?>", false);
    }
  }

  #begin(start: Start, length: number): Beginning {
    const source = this.#source;
    if (start === "<!DOCTYPE" && this.#elements.rootClosed) source.ignoreRest(source.at);
    else source.at += length;
    this.#start = start;
    this.#quote = "";
    this.#outlet.anythingBefore = true;
    return "yes";
  }

  #readTo(end: string, isText: boolean): number {
    const source = this.#source;
    const found = source.text.indexOf(end, source.at);
    // its end may be cut in two
    const last = Math.max(source.at, source.text.length - (end.length - 1));
    const to = found < 0 ? last : found;
    if (isText) this.#outlet.handTo(to, false);
    if (source.isOver) return UNFINISHED;
    source.at = found < 0 ? to : to + end.length;
    return found < 0 ? UNFINISHED : COMPLETE;
  }

  #readDoctype(): number {
    const source = this.#source;
    while (!source.isAtEdge) {
      if (this.#quote === "") {
        DOCTYPE_STOP_REGEXP.lastIndex = source.at;
        const stop = DOCTYPE_STOP_REGEXP.exec(source.text);
        source.at = stop === null ? source.text.length : stop.index + 1;
        if (stop?.[0] === "[") return REFUSED;
        if (stop?.[0] === ">") return COMPLETE;
        this.#quote = stop?.[0] ?? "";
      } else {
        const found = source.text.indexOf(this.#quote, source.at);
        source.at = found < 0 ? source.text.length : found + 1;
        if (found >= 0) this.#quote = "";
      }
    }
    return UNFINISHED;
  }
}
