/** `sitetree demo`. @module */

import { transcripts } from "./transcript.ts";

transcripts("demo");
