/** Result of a walker. */
export class WalkTally {
  /** Adds the URL of a page. */
  add(url: string): void;
  /** Returns the result so far. */
  result(): {
    seconds: number;
    firstPage: number;
    pages: number;
    checksum: number;
    peakRss: number;
  };
}
