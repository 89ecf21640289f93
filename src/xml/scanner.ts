/**
 * The scanner: bytes in, constructs out. It reads all XML, for the formats and for `XmlTokenizer`.
 *
 *     chunk ─► window (held bytes + chunk) ─► constructs ─► nodes ─► consumer
 *              bytes and same-length string   tags, text    paths    values as ranges
 *
 * A window begins between two constructs. A tag or short text that the window cuts is held and read
 * again with the next chunk, so there are no states inside of tags; above {@linkcode MAX_RETRIED} bytes
 * only once it has doubled, so the cost stays linear. Comments, CDATA sections, instructions and long
 * texts may exceed a window: they are skipped or passed on in pieces.
 *
 *                ┌── <![CDATA[ ──► CDATA ───── ]]> ──────┐
 *     CONTENT ───┤                                       ├──► CONTENT ─── stopped: DTD or limit
 *                └── <!-- <? <!DOCTYPE ──► SKIPPING ─────┘
 *
 * Nodes begin at that of the document, which may have junk before its root element. What follows the
 * root element is content of a node of its own.
 *
 *     #document ──► root ──► … ──► root.after
 *         └──► junk ──┘
 *
 * Faults are repaired and reported; only an internal DTD subset and the limits stop it. Nothing is
 * expanded but character references and the fixed entities of XML and HTML.
 *
 * All constructs share the position, the open elements and the lines, therefore they share a file.
 *
 * @module
 */

import { concat } from "../bytes/byte_source.ts";
import { CONTROL, REFERENCE, ValueScan } from "../bytes/value_scan.ts";
import { HeldBytes, LineCounter, wholeCharacters, Window } from "../bytes/window.ts";
import type { ReaderLimits } from "../data/limits.ts";
import { excerpt } from "../data/text.ts";
import {
  endOfName,
  isForbidden,
  isSpace,
  RangeDecoder,
  startsMarkup,
  startsName,
} from "./characters.ts";
import { GUESSED, type XmlConsumer, type XmlFault, type XmlStop } from "./consumer.ts";
import { Lookahead } from "./lookahead.ts";
import {
  MarkupSkipper,
  MAX_MISSPELT,
  MISSPELT_CDATA_REGEXP,
  MISSPELT_END_TAG_REGEXP,
  type SkippedMarkup,
  SUBSET,
  UNFINISHED,
} from "./markup.ts";
import { BASE, InternedName, NameTable, Scope } from "./names.ts";
import { BROKEN, CUT, FORBIDDEN, isBindingAttribute, REFUSED, StartTag } from "./start_tag.ts";
import {
  AFTER,
  ATTRIBUTES,
  BEFORE,
  BINDS,
  CLOSE,
  ElementNode,
  FLEETING,
  HASHED,
  HIDES,
  OPEN,
  ROOT,
  SHORT,
  type Step,
  STRAY,
  TEXT,
  UNBOUND,
} from "./steps.ts";
import { StepRecorder } from "./step_recorder.ts";

const LF = 0x0a, CR = 0x0d, SPACE = 0x20, BANG = 0x21, SLASH = 0x2f, LT = 0x3c;
const GT = 0x3e, QUESTION = 0x3f;

/** Maximum length of a cut construct that is read again with every chunk. */
const MAX_RETRIED = 512;
/** Length from which text is passed on in pieces. */
const MIN_LONG_TEXT = 4096;
/** First length of the pieces in which the bytes after cleaned markup are read; it then doubles. */
const MIN_PIECE = 256;
const MAX_NODES = 4096;
/** Maximum length of a value whose end is guessed, see `SHORT`. */
const MAX_SHORT = 40;
const OUTSIDE = BEFORE | AFTER;
/** Least maximum weight of the namespaces in scope, and length of half a tag. */
const MIN_WEIGHT = 1024 * 1024;

// modes, see above
const CONTENT = 0; //   <loc>hel
const CDATA = 1; //     <![CDATA[ hel
const SKIPPING = 2; //  <!-- hel

const CDATA_START = "<![CDATA[", CDATA_END = "]]>";
const DECLARATIONS = ["<!--", CDATA_START, "<!DOCTYPE"] as const;
const XML_DECLARATION_REGEXP = /^<\?xml[\s?]/;
const HTML_DOCTYPE_REGEXP = /^\s+html[\s>]/i;
/** Bytes of a DOCTYPE that are read for its name. */
const DOCTYPE_NAME_LENGTH = 64;
const NOT_SPACE_REGEXP = /[^\s]/;
/** Neither white space nor forbidden. */
// deno-lint-ignore no-control-regex -- XML 1.0 §2.2 forbids them
const CONTENT_REGEXP = /[^\s\0-\x1f\ufffe\uffff]/;

export class Scanner<M> {
  readonly window: Window = new Window();
  /** Scans values; it has the hash of the last one. */
  readonly scan: ValueScan;
  readonly decoder: RangeDecoder;
  /** The last start tag; those of a step have no attributes. */
  readonly tag: StartTag;
  stopped: XmlStop | undefined = undefined;
  /** Whether the DOCTYPE is that of HTML. */
  isHtml = false;
  /** Whether the elements that close have no end tag of their own. */
  isForced = false;
  /** Whether one of the elements around an entry is closed after it, and hides it. */
  isHidden = false;
  /** Set by the consumer to stop reading. */
  isDone = false;
  /** The element whose content is read. */
  node: ElementNode<M>;

  readonly #consumer: XmlConsumer<M>;
  readonly #document: ElementNode<M>;
  readonly #maxDepth: number;
  readonly #maxValueLength: number;
  readonly #maxWeight: number;
  readonly #held = new HeldBytes();
  /** Skips the current markup, in that mode. */
  #skipper: MarkupSkipper | undefined;
  readonly #recorder = new StepRecorder<M>();
  /** Scans the holes of steps, while the other scan has the hash of the value before the step. */
  readonly #holes = new ValueScan([0, 0]);
  #ahead = new Lookahead();
  readonly #lines = new LineCounter();
  #nodes = 0;
  /** Number of held bytes with which a cut construct is read again. */
  #retryAt = 0;
  #isLast = false;
  #replaced = 0;

  /** Its namespaces; while it closes, still those inside it. */
  #scope: Scope;
  /** Whether the text of an open element was passed on in pieces. */
  #hasPieces = false;
  #mode = CONTENT;
  /** Whether anything came before the XML declaration or the root element. */
  #hasContent = false;
  /** Offset in the document of the first content that is not expected before the root element. */
  #junkAt = -1;
  #junkLine = 0;
  #isTrailingReported = false;
  /** Offset in the document at which the window begins. */
  #offset = 0;
  /** Number of bytes of the window that are read. */
  #consumed = 0;
  /** Whether markup was cleaned and is held to be read again. */
  #isCleaned = false;
  /** Offset of the current construct. */
  #position = 0;

  constructor(consumer: XmlConsumer<M>, scan: ValueScan, limits: ReaderLimits) {
    const { maxElementDepth, maxValueLength } = limits;
    this.#consumer = consumer;
    this.scan = scan;
    this.decoder = new RangeDecoder(this.window, this.#lines, scan, (code, message, line) => {
      this.#report(code, message, line);
    });
    this.#maxDepth = maxElementDepth;
    this.#maxValueLength = maxValueLength;
    this.#maxWeight = Math.max(maxValueLength, MIN_WEIGHT);
    const name = new InternedName(this.window, 0, 0);
    this.tag = new StartTag(new NameTable(), name, limits);
    this.#document = new ElementNode(undefined, name, new Scope(), "", consumer.noMeaning);
    this.#document.flags = BEFORE;
    this.node = this.#document;
    this.#scope = this.#document.scope;
  }

  /** Begins another document, at a line; names, nodes and steps are kept. */
  reset(line = 1): void {
    this.stopped = undefined;
    this.isHtml =
      this.isDone =
      this.#isLast =
        false;
    this.#hasPieces =
      this.#hasContent =
      this.#isTrailingReported =
      this.#recorder.isActive =
        false;
    this.#ahead = new Lookahead();
    this.#junkAt = -1;
    this.#offset = this.#consumed = 0;
    this.node = this.#document;
    this.#scope = this.#document.scope;
    this.#held.length = this.#retryAt = this.#replaced = 0;
    this.#mode = CONTENT;
    this.#lines.line = line;
    this.#lines.load("");
  }

  get line(): number {
    return this.#lines.count(this.#position);
  }

  /** Whether the root element has ended, and nothing that is read after it is open. */
  get rootClosed(): boolean {
    return (this.node.flags & AFTER) !== 0;
  }

  /** Number of bytes from the first content that is not expected before the root element. */
  get junkLength(): number {
    return this.#junkAt < 0 ? 0 : this.#offset + this.#position - this.#junkAt;
  }

  get base(): string | undefined {
    return this.#scope.lookup(BASE);
  }

  uriOf(prefix: string): string | undefined {
    return this.#scope.lookup(prefix) ?? (prefix === "" ? "" : undefined);
  }

  /** Returns the number of invalid UTF-8 sequences that were replaced since the last call. */
  takeReplaced(): number {
    const replaced = this.#replaced;
    this.#replaced = 0;
    return replaced;
  }

  /** `chunk` is UTF-8. */
  write(chunk: Uint8Array): void {
    if (this.stopped !== undefined || this.isDone) return;
    const held = this.#held;
    if (held.length === 0) return this.#read(chunk);
    held.add(chunk);
    if (held.length >= this.#retryAt) this.#read(held.bytes);
  }

  /** Reads held bytes, as far as they are complete. */
  catchUp(): void {
    if (this.#held.length > 0 && this.stopped === undefined && !this.isDone) {
      this.#read(this.#held.bytes);
    }
  }

  /** Takes the end of the document; returns whether it was read to the end of the root element. */
  end(): boolean {
    if (this.stopped !== undefined || this.isDone) return false;
    this.#isLast = true;
    if (this.#held.length > 0) this.#read(this.#held.bytes);
    if (this.stopped === undefined) this.#lines.count(this.#position = this.window.text.length);
    return this.rootClosed && this.stopped === undefined;
  }

  /** Reads a chunk, and piece by piece what follows cleaned markup. */
  #read(chunk: Uint8Array): void {
    const held = this.#held, isLast = this.#isLast;
    // a copy: the held bytes are about to change
    const queue = this.#readWindow(chunk)?.slice();
    if (queue === undefined) return;
    let at = 0, length = MIN_PIECE;
    do {
      const end = Math.min(at + length, queue.length);
      held.add(queue.subarray(at, end));
      this.#isLast = isLast && end === queue.length;
      const rest = this.#readWindow(held.bytes);
      at = rest === undefined ? end : end - rest.length;
      length = rest === undefined ? 2 * length : MIN_PIECE;
    } while ((at < queue.length || this.#isCleaned) && this.stopped === undefined && !this.isDone);
  }

  /** Reads a window, and holds what it cuts; returns the bytes after cleaned markup. */
  #readWindow(chunk: Uint8Array): Uint8Array | undefined {
    const window = this.window;
    const length = this.#isLast ? chunk.length : wholeCharacters(chunk);
    // a copy, since loading may be of the held bytes
    const cut = length < chunk.length ? chunk.slice(length) : undefined;
    this.#replaced += window.load(cut === undefined ? chunk : chunk.subarray(0, length));
    this.#lines.load(window.text);
    this.#position = 0;
    this.#offset += this.#consumed;
    this.#recorder.isActive = false;
    this.#isCleaned = false;
    const read = this.#consumed = this.#run(0);
    const rest = window.bytes.subarray(read);
    if (this.#isCleaned) return cut === undefined ? rest : concat(rest, cut);
    if (this.stopped === undefined) this.#lines.count(read);
    this.#retryAt = rest.length > MAX_RETRIED ? 2 * rest.length : 0;
    this.#held.reset(rest);
    if (cut !== undefined) this.#held.add(cut);
    return undefined;
  }

  // ---------------------------------------------------------------------------------------- constructs

  /** Reads constructs until the window ends or cuts one; returns the offset after the last whole one. */
  #run(from: number): number {
    const { bytes, view } = this.window;
    const end = bytes.length;
    let at = from;
    while (at < end) {
      if (this.#mode !== CONTENT) {
        at = this.#mode === CDATA ? this.#cdata(at) : this.#skip(at);
        this.#lines.count(at);
        if (this.#mode !== CONTENT || this.stopped !== undefined) return at;
        continue;
      }
      at = this.#follow(at);
      if (this.isDone) return end;
      const node = this.node;
      let lt = at, flags = 0;
      if ((node.flags & TEXT) !== 0) {
        const { scan } = this;
        if (!scan.toTag(this.window, at, (node.flags & HASHED) !== 0)) {
          return this.#longText(node, at, -1);
        }
        lt = scan.tag;
        flags = scan.start === at && scan.end === lt ? scan.flags : scan.flagsOf(view, at, lt);
      } else {
        while (isSpace(bytes[lt])) lt++;
        if (lt > at && (node.flags & BEFORE) !== 0) this.#hasContent = true;
        if (lt === end) {
          // white space belongs to text that follows it
          const isWanted = (node.flags & STRAY) !== 0 && !this.#isLast;
          return isWanted ? Math.max(at, end - MIN_LONG_TEXT) : end;
        }
        if (bytes[lt] !== LT) {
          const next = this.#strayText(node, at, lt);
          if (next < 0) return at;
          if (bytes[next] !== LT) return next;
          at = lt = next;
        }
      }
      const next = this.#construct(node, at, lt, flags);
      if (next === CUT) {
        const isLong = (node.flags & TEXT) !== 0 && lt - at > MIN_LONG_TEXT;
        return isLong ? this.#longText(node, at, lt) : at;
      }
      if (next < 0) return end;
      at = next;
      if (this.#isCleaned) return at;
      this.#lines.count(at);
    }
    return at;
  }

  /** Opens and closes the elements of a step, which ends at an offset. */
  #replay({ actions }: Step<M>, end: number): void {
    const lines = this.#lines, { line } = lines;
    // its lines are known
    this.#position = lines.at = end;
    for (let i = 0; i < actions.length; i++) {
      const action = actions[i]!, { node } = action;
      lines.line = line + action.lines;
      if (action.isClose) {
        this.node = node.parent!;
        this.#leave(node);
      } else {
        this.node = node;
        if ((node.flags & BINDS) !== 0) this.#scope = node.scope;
        if ((node.flags & ATTRIBUTES) !== 0) this.tag.take(action.layout);
        this.#enter(node);
      }
    }
    lines.line = line;
  }

  /** Finds the step of a node that is at an offset, which becomes its last one; returns its end or -1. */
  #findStep(node: ElementNode<M>, at: number): number {
    const { view } = this.window, { steps } = node, last = node.step!;
    // the last one is the most likely; without holes it was looked for
    if (last.hasHoles && last.isAt(view, at)) {
      const end = this.#fill(last, at + last.length);
      if (end >= 0) return end;
    }
    for (let i = 0; i < steps.length; i++) {
      const step = steps[i]!;
      if (step === last || !step.isAt(view, at)) continue;
      const next = at + step.length;
      const end = step.hasHoles ? this.#fill(step, next) : next;
      if (end < 0) continue;
      node.step = step;
      return end;
    }
    return -1;
  }

  /** Finds the ends of the holes of a step, the first of which is at an offset; returns its end or -1. */
  #fill({ holes }: Step<M>, from: number): number {
    const { text, view } = this.window, scan = this.#holes, { starts, ends, flags } = this.tag;
    let at = from;
    for (let i = 0; i < holes.length; i++) {
      const { terminator, stop, attribute, after } = holes[i]!;
      let end = 0;
      if (terminator.length === 1) {
        end = scan.toByte(view, at, stop, Math.min(at + MIN_LONG_TEXT, view.byteLength));
      } else {
        end = text.indexOf(terminator, at);
        if (end - at > MIN_LONG_TEXT) return -1;
        if (end >= 0) scan.flagsOf(view, at, end);
      }
      // lines are those of the bytes around it
      if (end < 0 || (scan.flags & CONTROL) !== 0 || !after.isAt(view, end)) return -1;
      if (attribute >= 0) {
        if (scan.hasTag || end - at > this.#maxValueLength) return -1;
        starts[attribute] = at;
        ends[attribute] = end;
        flags[attribute] = scan.flags;
      }
      at = end + after.length;
    }
    return at;
  }

  /** Follows known steps, from value to value and from tag to tag; returns the offset after the last one. */
  #follow(from: number): number {
    if (this.#hasPieces || this.isDone) return from;
    if (this.#recorder.isActive) {
      if (this.#recorder.canExtend(from)) return from;
      this.#endStep(from);
    }
    const window = this.window, { bytes, view } = window;
    const end = bytes.length;
    const scan = this.scan, consumer = this.#consumer, lines = this.#lines;
    let at = from, node = this.node, line = lines.count(from);
    for (;;) {
      const kind = node.flags;
      let lt = at, start = at, stop = at, flags = 0;
      // tags follow each other without a value
      if ((kind & TEXT) === 0) flags = GUESSED;
      else if ((kind & SHORT) !== 0 && bytes[at] !== LT) {
        lt = at + node.valueLength;
        if (lt >= end || bytes[lt] !== LT) {
          const last = at + MAX_SHORT < end ? at + MAX_SHORT : end - 1;
          for (lt = at; lt < last && bytes[lt] !== LT; lt++);
          node.valueLength = lt - at;
        }
        // no white space around it, and so no line end if it is a date or a number
        const isUnpadded = bytes[at]! > SPACE && bytes[lt - 1]! > SPACE;
        if (bytes[lt] === LT && isUnpadded) flags = GUESSED;
        stop = lt;
      }
      // a CDATA section is scanned below
      if (flags === 0 && !(bytes[at] === LT && bytes[at + 1] === BANG)) {
        if (!scan.toTag(window, at, (kind & HASHED) !== 0)) break;
        lt = scan.tag;
        start = scan.start;
        stop = scan.end;
        flags = scan.flags;
        if (lt - at >= MIN_LONG_TEXT) break;
      }
      if (flags !== GUESSED && bytes[lt + 1] === BANG) {
        stop = this.#endOfCdata(at, lt);
        if (stop < 0) break;
        start = lt + CDATA_START.length;
        if ((kind & HASHED) !== 0) scan.range(view, start, stop);
        else scan.flagsOf(view, start, stop);
        flags = scan.flags & ~REFERENCE;
        for (lt = stop + CDATA_END.length; isSpace(bytes[lt]); lt++);
        if (lt - at > this.#maxValueLength || this.decoder.hasForbidden(start, stop, flags)) break;
      }
      let { step } = node;
      if (step === undefined) break;
      let next = lt + step.length;
      // the usual case is not left to another function (`deno task bench --shapes`, plain)
      if (step.hasHoles || !step.isAt(view, lt)) {
        next = this.#findStep(node, lt);
        if (next < 0) break;
        step = node.step!;
      }
      lines.line = line;
      if ((kind & TEXT) === 0) lines.at = lt;
      else {
        let hasLines = (flags & CONTROL) !== 0 || start !== at || stop !== lt;
        lines.at = hasLines ? at : lt;
        this.#position = lt;
        if (!consumer.value(node, start, stop, flags)) {
          flags = scan.flagsOf(view, start, stop);
          // the guess skipped a `<`
          if (scan.hasTag) break;
          hasLines = (flags & CONTROL) !== 0;
          if (hasLines) lines.at = at;
          consumer.value(node, start, stop, flags);
        }
        if (hasLines) line = lines.count(lt);
      }
      if (step.actions.length > 0) this.#replay(step, next);
      at = next;
      line += step.lines;
      node = step.to;
      if (this.isDone) break;
    }
    this.node = node;
    lines.line = line;
    lines.at = at;
    return at;
  }

  /** Returns the end of a CDATA section at `lt` that is the whole text of an element, else -1. */
  #endOfCdata(at: number, lt: number): number {
    const { bytes, text } = this.window, { trimsValues } = this.#consumer;
    if (at < lt && !trimsValues) return -1;
    for (let i = at; i < lt; i++) if (!isSpace(bytes[i])) return -1;
    if (!text.startsWith(CDATA_START, lt)) return -1;
    const end = text.indexOf(CDATA_END, lt);
    let next = end + CDATA_END.length;
    if (trimsValues) { while (isSpace(bytes[next])) next++; }
    return bytes[next] === LT && bytes[next + 1] === SLASH ? end : -1;
  }

  /**
   * Reads the construct at `lt`, after the text of `node` that begins at `at`; returns the offset after
   * it, or a negative outcome.
   */
  #construct(node: ElementNode<M>, at: number, lt: number, flags: number): number {
    const { bytes } = this.window;
    const code = bytes[lt + 1];
    if (code === undefined) return this.#isLast ? bytes.length : CUT;
    if (code === SLASH) return this.#endTag(node, at, lt, flags);
    if (startsName(code)) return this.#startTag(node, at, lt, flags);
    if (code === BANG) return this.#declaration(node, at, lt, flags);
    if (code === QUESTION) return this.#instruction(node, at, lt, flags);
    if (isForbidden(code)) return this.#forbiddenBehindLt(node, at, lt, flags);
    if (isSpace(code)) return this.#misspeltEndTag(node, at, lt, flags);
    return this.#bareLt(node, at, lt, lt + 1, flags);
  }

  /** Reads a `<` before forbidden characters: as text if no markup begins after them. */
  #forbiddenBehindLt(node: ElementNode<M>, at: number, lt: number, flags: number): number {
    const { bytes } = this.window;
    let next = lt + 1;
    while (next < bytes.length && isForbidden(bytes[next]!)) next++;
    if (next === bytes.length || startsMarkup(bytes[next]!)) {
      return this.#clean(node, at, lt, next, flags);
    }
    this.#passPending(node, at, lt, flags);
    const line = this.#lines.count(lt);
    for (let i = lt + 1; i < next; i++) this.decoder.reportForbidden(bytes[i]!, line);
    this.#bareLt(node, lt, lt, lt + 1, 0);
    return next;
  }

  #endStep(end: number): void {
    const recorder = this.#recorder;
    if (recorder.isActive) recorder.finish(this.window, end, this.#lines.count(end), this.node);
  }

  /** Adds the construct at `lt`, and white space before it, to a step. */
  #record(node: ElementNode<M>, at: number, lt: number): void {
    const recorder = this.#recorder, start = (node.flags & TEXT) === 0 ? at : lt;
    if (!recorder.isActive) recorder.begin(node, start, this.#lines.count(start));
  }

  /** Adds what differs each time to a step: from `start` to the terminator at `end`. */
  #recordHole(
    node: ElementNode<M>,
    at: number,
    start: number,
    end: number,
    terminator: string,
  ): void {
    this.#record(node, at, start);
    this.#recorder.skip(this.window, start, end, terminator);
  }

  /**
   * Skips a comment or an instruction whose content begins at `start`, if text around it does not matter
   * and it is short; returns the offset after it, else -1.
   */
  #shortMarkup(node: ElementNode<M>, at: number, start: number, terminator: string): number {
    if ((node.flags & (TEXT | STRAY | OUTSIDE)) !== 0) return -1;
    const end = this.window.text.indexOf(terminator, start);
    if (end < 0 || end - start > MIN_LONG_TEXT) return -1;
    this.#recordHole(node, at, start, end, terminator);
    return end + terminator.length;
  }

  // ----------------------------------------------------------------------------------------- start tags

  #startTag(node: ElementNode<M>, at: number, lt: number, flags: number): number {
    const tag = this.tag, window = this.window;
    let after = tag.read(window, lt);
    if (after === FORBIDDEN) return this.#clean(node, at, lt, tag.end, flags);
    if (after === BROKEN) {
      const isTag = this.#consumer.isKnownName(node, tag.name, this.uriOf(tag.name.prefix));
      if (!isTag) return this.#bareLt(node, at, lt, tag.end, flags);
      after = tag.endEarly();
    }
    const isCut = after === CUT;
    const isLong = (isCut ? window.bytes.length : after) - lt > 2 * this.#maxWeight;
    if (isCut && !isLong && !this.#isLast) return CUT;
    if (isCut && tag.hasForbidden) {
      return this.#clean(node, at, lt, window.bytes.length, flags);
    }
    if (isCut && !isLong) return window.bytes.length;
    if ((node.flags & (HIDES | AFTER)) !== 0) {
      if ((node.flags & AFTER) !== 0) this.#reportTrailing(this.#lines.count(lt));
      // an entry that may be hidden is not kept among the children
      else if (node.children[tag.name.id] === undefined && !this.#lookAhead(node, after)) {
        return CUT;
      }
    }
    if (isLong) tag.dropAttributes(window, lt);
    if (isCut) {
      this.#beginSkipping("tag");
      after = endOfName(window.bytes, lt + 1);
    }
    this.#passPending(node, at, lt, flags);
    for (const { code, message, at } of tag.faults) this.#fault(code, message, at);
    if (after === REFUSED) return this.#stop("too-many-attributes", tag.end);
    // faults are reported each time
    if (tag.faults.length > 0) this.#endStep(lt);
    else this.#record(node, at, lt);
    if (tag.isBinding) this.#bind();
    const scope = this.#scope;
    if (this.#consumer.note !== undefined && tag.count > 0) this.#noteAttributes();
    const child = this.#childOf(node, tag.name, scope);
    const inner = child === undefined || child.parent === node
      ? child
      : this.#displace(node, child.parent!, lt);
    if (inner === undefined) return this.#stop("too-deep-elements", after - 1);
    if ((inner.flags & (FLEETING | ROOT | BEFORE)) !== 0) this.#enterOdd(inner, lt);
    const line = this.#lines.count(this.#position = after - 1);
    this.node = inner;
    this.#hasContent = true;
    if (this.#recorder.isActive) this.#recorder.open(inner, window, tag, line);
    if ((inner.flags & (OPEN | UNBOUND)) !== 0) this.#enter(inner);
    if (tag.isEmpty) this.#closeTo(this.#outerOf(inner), after - 1);
    // a step has the attributes of one tag
    if ((this.node.flags & TEXT) !== 0 || (inner.flags & ATTRIBUTES) !== 0) this.#endStep(after);
    return after;
  }

  /** Prepares to enter an element that steps do not lead to. */
  #enterOdd({ flags }: ElementNode<M>, lt: number): void {
    this.#recorder.isActive = false;
    if ((flags & BEFORE) !== 0) this.#noteJunk(lt, this.#lines.count(lt));
    const isAfterJunk = (flags & ROOT) !== 0 && this.#junkAt >= 0;
    if (!isAfterJunk || this.rootClosed) return;
    const message = "Unexpected content before the root element";
    this.#report("xml-leading-junk", message, this.#junkLine);
  }

  /** Reports prefixes of attributes that are not bound, each time. */
  #noteAttributes(): void {
    const { names, count, starts } = this.tag;
    for (let i = 0; i < count; i++) {
      const colon = names[i]!.indexOf(":"), prefix = names[i]!.slice(0, Math.max(colon, 0));
      if (colon <= 0 || this.uriOf(prefix) !== undefined) continue;
      this.#recorder.isActive = false;
      const message = `Prefix of the attribute "${excerpt(names[i]!)}" is not bound`;
      this.#consumer.note!("prefix-unbound", message, this.#lines.count(starts[i]!));
    }
  }

  #noteJunk(at: number, line: number): void {
    if (this.#junkAt >= 0) return;
    this.#junkAt = this.#offset + at;
    this.#junkLine = line;
  }

  /** Finds out whether an entry after an offset is hidden; returns false if that takes more bytes. */
  #lookAhead(node: ElementNode<M>, after: number): boolean {
    const { name } = this.tag, { text } = this.window;
    const entry = this.#consumer.openEntry(node, name, this.uriOf(name.prefix));
    if (entry === undefined) return true;
    const around: string[] = [], open: string[] = [];
    for (let outer = node; outer.depth > 0; outer = outer.parent!) {
      if (outer !== entry) (outer.depth > entry.depth ? open : around).push(outer.name.name);
    }
    const ahead = { text, offset: this.#offset, from: after, isLast: this.#isLast };
    const isClosed = this.#ahead.isClosed(ahead, open, around);
    this.isHidden = isClosed === true;
    return isClosed !== undefined;
  }

  /** Closes elements that are still open before a start tag; returns the node of its element. */
  #displace(node: ElementNode<M>, parent: ElementNode<M>, lt: number): ElementNode<M> | undefined {
    const tag = this.tag;
    this.#scope = node.scope;
    this.#recorder.isActive = false;
    this.#position = lt;
    this.#consumer.displace(tag.name);
    let outer = node;
    while (outer.depth > parent.depth) outer = outer.parent!;
    this.isForced = true;
    this.#closeTo(outer, lt);
    this.isForced = false;
    this.node = parent;
    if (tag.isBinding) this.#bind();
    return this.#childOf(parent, tag.name, this.#scope);
  }

  #stop(reason: XmlStop, at: number): number {
    this.#lines.count(this.#position = at);
    this.stopped = reason;
    return REFUSED;
  }

  /** Returns the node of an element that opens in `node`; `undefined` if it is too deep. */
  #childOf(node: ElementNode<M>, name: InternedName, scope: Scope): ElementNode<M> | undefined {
    const { id } = name;
    const known = id < 0 ? undefined : node.children[id];
    if (known !== undefined && known.scope === scope) return known;
    const uri = this.uriOf(name.prefix);
    const parent = this.#consumer.adopt(node, name, uri);
    let child: ElementNode<M> | undefined;
    if (parent !== node) child = this.#childOf(parent, name, scope);
    else {
      if (node.depth >= this.#maxDepth) return undefined;
      child = new ElementNode(node, name, scope, uri, this.#consumer.noMeaning);
      this.#consumer.resolve(child);
      if (uri === undefined) child.flags |= UNBOUND;
      if (scope !== node.scope) child.flags |= BINDS;
    }
    const isFleeting = parent === node
      ? child !== undefined && (child.flags & FLEETING) !== 0
      : (parent.flags & FLEETING) !== 0 || (node.flags & HIDES) !== 0;
    if (child !== undefined && !isFleeting && id >= 0 && this.#nodes < MAX_NODES) {
      if (known === undefined) this.#nodes++;
      node.children[id] = child;
    }
    return child;
  }

  #bind(): void {
    const tag = this.tag;
    for (let i = 0; i < tag.count; i++) {
      const name = tag.names[i]!;
      if (!isBindingAttribute(name)) continue;
      const value = this.decoder.attribute(tag, i).trim();
      const scope = this.#scope;
      if (scope.weight + value.length + name.length > this.#maxWeight) {
        const message = `Namespaces of "${excerpt(tag.name.name)}" are too long`;
        this.#fault("value-too-long", message, tag.ends[i]!);
      } else if (name !== "xml:base") {
        this.#scope = scope.with(name.slice("xmlns:".length), value);
      } else {
        this.#scope = scope.with(BASE, this.#consumer.resolveBase(value, this.base));
      }
    }
  }

  #enter(node: ElementNode<M>): void {
    const { flags, name } = node;
    if ((flags & UNBOUND) !== 0) {
      const message = `Prefix "${excerpt(name.prefix)}" is not bound`;
      this.#consumer.fault("xml-unbound-prefix", message, this.#lines.line);
    }
    if ((flags & OPEN) !== 0) this.#consumer.open(node);
  }

  // ------------------------------------------------------------------------------------------- end tags

  #endTag(node: ElementNode<M>, at: number, lt: number, flags: number): number {
    const { bytes, view } = this.window;
    let gt = lt + 2 + node.name.length;
    while (isSpace(bytes[gt])) gt++;
    if (bytes[gt] !== GT || node.name.length === 0 || !node.name.isAt(view, lt + 2)) {
      return this.#oddEndTag(node, at, lt, flags);
    }
    if ((node.flags & TEXT) !== 0) {
      this.#position = lt;
      // long text is passed on like that of several windows
      if (lt - at >= MIN_LONG_TEXT) this.#hasPieces = true;
      if (this.#hasPieces) {
        this.#passText(node, at, lt, flags);
        if (this.#consumer.endText(node)) this.#hasPieces = false;
      } else this.#consumer.value(node, at, lt, flags);
    }
    this.#record(node, at, lt);
    this.#lines.count(this.#position = gt);
    this.#close(node);
    if ((this.node.flags & (TEXT | AFTER)) !== 0) this.#endStep(gt + 1);
    return gt + 1;
  }

  /** Reads an end tag that does not match the innermost element exactly. */
  #oddEndTag(node: ElementNode<M>, at: number, lt: number, flags: number): number {
    const window = this.window, { bytes } = window;
    const first = bytes[lt + 2];
    if (first === undefined) return this.#isLast ? bytes.length : CUT;
    if (isForbidden(first)) return this.#clean(node, at, lt, lt + 3, flags);
    if (!startsName(first)) return this.#misspeltEndTag(node, at, lt, flags);
    const nameEnd = endOfName(bytes, lt + 2);
    let gt = nameEnd, hasForbidden = false;
    for (; gt < bytes.length && bytes[gt] !== GT && bytes[gt] !== LT; gt++) {
      if (isForbidden(bytes[gt]!)) hasForbidden = true;
    }
    const isCut = gt === bytes.length;
    if (isCut && !this.#isLast && gt - lt <= 2 * this.#maxWeight) return CUT;
    if (hasForbidden) return this.#clean(node, at, lt, gt, flags);
    if (isCut && this.#isLast) return gt;
    if (isCut) this.#beginSkipping("end-tag");
    this.#passPending(node, at, lt, flags);
    this.#recorder.isActive = false;
    this.#hasContent = true;
    const name = new InternedName(window, lt + 2, nameEnd);
    if (NOT_SPACE_REGEXP.test(window.text.slice(nameEnd, gt))) {
      const message = `End tag "${excerpt(name.name)}" has more than its name`;
      this.#fault("xml-bad-attribute", message, nameEnd);
    }
    if (bytes[gt] === LT) {
      this.#fault("xml-bare-less-than", `End tag "${excerpt(name.name)}" without ">"`, gt);
    }
    this.#closeNamed(name, gt);
    return bytes[gt] === GT ? gt + 1 : gt;
  }

  /** Reads `</ loc>` or `< /loc>` as the end tag of an open element; the `<` of any other is text. */
  #misspeltEndTag(node: ElementNode<M>, at: number, lt: number, flags: number): number {
    const window = this.window, head = window.text.slice(lt, lt + MAX_MISSPELT);
    const [tag, written, gt] = MISSPELT_END_TAG_REGEXP.exec(head)!;
    const isCut = gt === undefined && tag.length === head.length && head.length < MAX_MISSPELT;
    if (isCut && !this.#isLast) return CUT;
    const start = lt + head.indexOf(written ?? "");
    const name = new InternedName(window, start, start + (written?.length ?? 0));
    if (gt === undefined || this.#openNamed(name) === undefined) {
      const isSlash = window.bytes[lt + 1] === SLASH;
      return this.#bareLt(node, at, lt, isSlash ? lt + 2 : lt + 1, flags);
    }
    const end = lt + tag.length;
    if (window.bytes.subarray(lt, end).some(isForbidden)) {
      return this.#clean(node, at, lt, end, flags);
    }
    this.#passPending(node, at, lt, flags);
    if ((node.flags & OUTSIDE) === 0) {
      this.#fault("xml-bare-less-than", `Misspelt end tag "${excerpt(name.name)}"`, lt);
    }
    this.#recorder.isActive = false;
    this.#closeNamed(name, end - 1);
    return end;
  }

  #openNamed({ lowerName }: InternedName): ElementNode<M> | undefined {
    let node: ElementNode<M> | undefined = this.node;
    while (node !== undefined && node.depth > 0 && node.name.lowerName !== lowerName) {
      node = node.parent;
    }
    return node === undefined || node.depth === 0 ? undefined : node;
  }

  /** Closes the innermost element of a name, and those inside it. */
  #closeNamed(closing: InternedName, at: number): void {
    const { name } = closing, node = this.#openNamed(closing);
    if (node === undefined) {
      if (this.rootClosed) this.#reportTrailing(this.#lines.count(at));
      else if ((this.node.flags & BEFORE) === 0 || this.#junkAt < 0) {
        this.#fault("xml-mismatched-tag", `End tag "${excerpt(name)}" has no start tag`, at);
      }
      return;
    }
    if (node !== this.node) {
      const inner = excerpt(this.node.name.name);
      const message = `End tag "${excerpt(name)}" closes the open "${inner}" too`;
      if ((this.node.flags & OUTSIDE) === 0) this.#fault("xml-mismatched-tag", message, at);
      this.isForced = true;
      this.#closeTo(node, at);
      this.isForced = false;
    }
    this.#closeTo(this.#outerOf(node), at);
  }

  #closeTo(outer: ElementNode<M>, at: number): void {
    this.#lines.count(this.#position = at);
    while (this.node !== outer) this.#close(this.node);
  }

  #close(node: ElementNode<M>): void {
    const recorder = this.#recorder;
    if (this.#hasPieces && this.#consumer.endText(node)) this.#hasPieces = false;
    this.node = this.#outerOf(node);
    if (recorder.isActive) recorder.close(node, this.#lines.line);
    this.#leave(node);
  }

  #leave(node: ElementNode<M>): void {
    if ((node.flags & CLOSE) !== 0) this.#consumer.close(node);
    if ((node.flags & BINDS) !== 0) this.#scope = this.#outerOf(node).scope;
  }

  /** Returns the node of what follows an element. */
  #outerOf(node: ElementNode<M>): ElementNode<M> {
    const parent = node.parent!;
    return (node.flags & ROOT) !== 0 && parent === this.#document
      ? node.after ??= this.#newAfter(node)
      : parent;
  }

  /** Returns the node of what follows the root element, whose namespaces stay bound. */
  #newAfter(root: ElementNode<M>): ElementNode<M> {
    const meaning = this.#consumer.meaningAfter(root);
    const after = new ElementNode(this.#document, this.#document.name, root.scope, "", meaning);
    after.flags = AFTER;
    return after;
  }

  // ---------------------------------------------------------------------------------------------- text

  /** Passes on the text before a construct that does not close the element. */
  #passPending(node: ElementNode<M>, start: number, end: number, flags: number): void {
    if ((node.flags & TEXT) === 0) return;
    this.#passText(node, start, end, flags);
    this.#hasPieces = true;
  }

  /** `isMarkup` if the text begins with a raw `<`. */
  #passText(
    node: ElementNode<M>,
    start: number,
    end: number,
    flags: number,
    isMarkup = false,
  ): void {
    if (start === end) return;
    const text = this.decoder.text(start, end, flags);
    this.#lines.count(end);
    if (text !== "") this.#consumer.text(node, text, isMarkup);
  }

  /** Reads text that is not expected; returns the offset after it, or -1 if more is needed. */
  #strayText(node: ElementNode<M>, at: number, from: number): number {
    const { bytes, text, view } = this.window;
    const lt = text.indexOf("<", from);
    const end = lt < 0 ? bytes.length : lt;
    const isWanted = (node.flags & STRAY) !== 0;
    const isOutside = (node.flags & OUTSIDE) !== 0;
    if (!isWanted && !isOutside && lt >= 0) {
      this.#recordHole(node, at, from, lt, "<");
      return lt;
    }
    this.#endStep(at);
    if (lt < 0 && !this.#isLast && end - at < MIN_LONG_TEXT && (isWanted || isOutside)) {
      return -1;
    }
    if (isOutside) this.#outerText(at, end);
    else if (isWanted) {
      const start = Math.max(at, from - MIN_LONG_TEXT);
      const stop = lt < 0 ? this.decoder.endOfPiece(at) : end;
      this.#passText(node, start, stop, this.scan.flagsOf(view, start, stop));
      return stop;
    }
    return end;
  }

  #outerText(start: number, end: number): void {
    const text = this.window.slice(start, end, true);
    const lines = new LineCounter(this.#lines.count(start), text);
    const found = text.search(CONTENT_REGEXP);
    const content = found < 0 ? text.length : found;
    const isAfter = this.rootClosed;
    this.#hasContent = true;
    // content there is reported as a whole
    if (isAfter ? this.#isTrailingReported : this.#junkAt >= 0) return;
    this.decoder.reportForbiddenIn(text, lines, 0, content);
    if (found < 0) return;
    if (isAfter) this.#reportTrailing(lines.count(content));
    else this.#noteJunk(start, lines.count(content));
  }

  /** Reads text before a `<` that is far away or not in the window: held while short, else passed on. */
  #longText(node: ElementNode<M>, at: number, lt: number): number {
    const end = lt < 0 ? this.window.bytes.length : lt;
    if (lt < 0 && !this.#isLast && end - at < MIN_LONG_TEXT) return at;
    const stop = lt < 0 && !this.#isLast ? this.decoder.endOfPiece(at) : end;
    this.#passPending(node, at, stop, this.scan.flagsOf(this.window.view, at, stop));
    return stop;
  }

  /**
   * Removes forbidden characters from the markup at `lt`, up to an offset and directly after it, and
   * holds it to be read again. What follows may not be markup and is queued unchanged: copying all of it
   * for each tag would take quadratic time.
   */
  #clean(node: ElementNode<M>, at: number, lt: number, until: number, flags: number): number {
    const { bytes } = this.window, held = this.#held;
    let end = until;
    while (end < bytes.length && isForbidden(bytes[end]!)) end++;
    this.#passPending(node, at, lt, flags);
    let line = this.#lines.count(lt), length = 0;
    held.reset(bytes.subarray(lt, end));
    const cleaned = held.bytes;
    for (const byte of cleaned) {
      if (isForbidden(byte)) this.decoder.reportForbidden(byte, line);
      else cleaned[length++] = byte;
      if (byte === LF) line++;
    }
    held.length = length;
    this.#isCleaned = true;
    return end;
  }

  // ------------------------------------------------------------------------------------- other markup

  /** Reads a `<` that does not begin markup as text, with all up to `end`. */
  #bareLt(node: ElementNode<M>, at: number, lt: number, end: number, flags: number): number {
    this.#endStep(lt);
    this.#passPending(node, at, lt, flags);
    if ((node.flags & OUTSIDE) !== 0) {
      this.#outerText(lt, end);
      return end;
    }
    const isTag = end > lt + 2;
    if (isTag) {
      for (const { code, message, at } of this.tag.faults) this.#fault(code, message, at);
    }
    this.#fault("xml-bare-less-than", 'Bare "<" read as text', isTag ? end : lt);
    if ((node.flags & (TEXT | STRAY)) !== 0) {
      this.#passText(node, lt, end, this.scan.flagsOf(this.window.view, lt, end), true);
    }
    return end;
  }

  #declaration(node: ElementNode<M>, at: number, lt: number, flags: number): number {
    const { bytes, text } = this.window;
    const head = text.slice(lt, lt + CDATA_START.length).toUpperCase();
    for (const declaration of DECLARATIONS) {
      if (head.startsWith(declaration)) {
        if (declaration === "<!DOCTYPE") {
          if ((node.flags & OUTSIDE) === 0) break;
          const end = lt + DOCTYPE_NAME_LENGTH;
          if (end > bytes.length && !this.#isLast && !text.includes(">", lt)) return CUT;
          const name = text.slice(lt + declaration.length, end);
          if (!this.rootClosed) this.isHtml ||= HTML_DOCTYPE_REGEXP.test(name);
          else this.#reportTrailing(this.#lines.count(lt));
        }
        const next = declaration === "<!--" ? this.#shortMarkup(node, at, lt + 4, "-->") : -1;
        if (next >= 0) return next;
        if (declaration === CDATA_START) {
          return this.#beginCdata(node, at, lt, lt + declaration.length, flags);
        }
        this.#endStep(lt);
        this.#passPending(node, at, lt, flags);
        this.#hasContent = true;
        this.#beginSkipping(declaration === "<!--" ? "comment" : "doctype");
        return lt + declaration.length;
      }
      if (!this.#isLast && head.length < declaration.length && declaration.startsWith(head)) {
        return CUT;
      }
    }
    for (let i = lt + 2; i < lt + head.length; i++) {
      const before = head.slice(0, i - lt);
      if (!DECLARATIONS.some((declaration) => declaration.startsWith(before))) break;
      if (isForbidden(bytes[i]!)) return this.#clean(node, at, lt, i + 1, flags);
    }
    return this.#misspeltCdata(node, at, lt, flags);
  }

  /** Reads `<!CDATA[` or `<! [CDATA[` as the start of a CDATA section; any other `<!` is text. */
  #misspeltCdata(node: ElementNode<M>, at: number, lt: number, flags: number): number {
    const head = this.window.text.slice(lt, lt + MAX_MISSPELT);
    const [start, bracket] = MISSPELT_CDATA_REGEXP.exec(head)!;
    if (bracket === undefined) {
      const isCut = start.length === head.length && head.length < MAX_MISSPELT && !this.#isLast;
      return isCut ? CUT : this.#bareLt(node, at, lt, lt + 1, flags);
    }
    const next = this.#beginCdata(node, at, lt, lt + start.length, flags);
    if ((node.flags & OUTSIDE) === 0) {
      this.#fault("xml-bare-less-than", "Misspelt CDATA section", lt);
    }
    return next;
  }

  #beginCdata(node: ElementNode<M>, at: number, lt: number, next: number, flags: number): number {
    this.#endStep(lt);
    this.#passPending(node, at, lt, flags);
    this.#hasContent = true;
    this.#mode = CDATA;
    return next;
  }

  #instruction(node: ElementNode<M>, at: number, lt: number, flags: number): number {
    const head = this.window.text.slice(lt, lt + 6);
    if (head.length < 6 && !this.#isLast) return CUT;
    const next = this.#shortMarkup(node, at, lt + 2, "?>");
    if (next >= 0) return next;
    this.#endStep(lt);
    this.#passPending(node, at, lt, flags);
    const isLate = this.#hasContent && node === this.#document && this.#junkAt < 0;
    if (isLate && XML_DECLARATION_REGEXP.test(head)) {
      this.#fault("xml-leading-junk", "Unexpected content before the XML declaration", lt);
    }
    this.#hasContent = true;
    this.#beginSkipping("instruction");
    return lt + 2;
  }

  #beginSkipping(markup: SkippedMarkup): void {
    this.#mode = SKIPPING;
    this.#skipper = new MarkupSkipper(markup);
  }

  /** Skips markup; returns the offset after it, or after its part in the window. */
  #skip(at: number): number {
    const { bytes, text } = this.window, skipper = this.#skipper!;
    const next = skipper.skip(text, at);
    if (next === UNFINISHED) {
      const end = Math.max(at, text.length - skipper.lookahead);
      return wholeCharacters(bytes.subarray(0, end));
    }
    this.#mode = CONTENT;
    if (next === SUBSET && this.rootClosed) this.#beginSkipping("rest");
    else if (next === SUBSET) this.stopped = "xml-dtd";
    else if (skipper.isEmptyTag) this.#closeTo(this.#outerOf(this.node), next);
    else if (skipper.isDoctype && !this.rootClosed) {
      this.#consumer.note?.("doctype", "DOCTYPE", this.#lines.count(next));
    }
    return next < 0 ? text.length : next;
  }

  /** Reads a CDATA section; returns the offset after it, or after its part in the window. */
  #cdata(at: number): number {
    const node = this.node, { bytes, text, view } = this.window;
    const found = text.indexOf(CDATA_END, at);
    // neither its end nor a line end may be split
    let end = found < 0 ? Math.max(at, text.length - 2) : found;
    if (found < 0 && end > at && text.charCodeAt(end - 1) === CR) end--;
    end = found < 0 && this.#isLast ? text.length : wholeCharacters(bytes.subarray(0, end));
    if ((node.flags & OUTSIDE) !== 0) this.#outerText(at, end);
    else if ((node.flags & (TEXT | STRAY)) !== 0) {
      this.#passText(node, at, end, this.scan.flagsOf(view, at, end) & ~REFERENCE);
      if ((node.flags & TEXT) !== 0) this.#hasPieces = true;
    }
    if (found < 0) return end;
    this.#mode = CONTENT;
    return found + CDATA_END.length;
  }

  /** Reports content after the root element, once. */
  #reportTrailing(line: number): void {
    if (this.#isTrailingReported) return;
    this.#isTrailingReported = true;
    this.#report("xml-trailing-content", "Content after the root element", line);
  }

  #fault(code: XmlFault, message: string, at: number): void {
    this.#report(code, message, this.#lines.count(at));
  }

  /** Reports a fault, which is not part of a step: it is reported each time. */
  #report(code: XmlFault, message: string, line: number): void {
    this.#recorder.isActive = false;
    this.#consumer.fault(code, message, line);
  }
}
