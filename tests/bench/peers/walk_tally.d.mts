/** What every walker reports. */
export class WalkTally {
  /** Takes the address of one page. */
  add(url: string): void;
  /** What was seen, with the time until now. */
  result(): {
    seconds: number;
    firstPage: number;
    pages: number;
    checksum: number;
    peakRss: number;
  };
}
