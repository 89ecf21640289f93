/** The plans of statements, as the module `auto_explain` of PostgreSQL logs them. @module */

import { type TestDatabase, until } from "./with_fleets.ts";

/** Settings of a server that logs the plan of every statement, also those in functions. */
export const LOG_PLANS: Readonly<Record<string, string>> = {
  "shared_preload_libraries": "auto_explain",
  "auto_explain.log_min_duration": "0",
  "auto_explain.log_analyze": "on",
  "auto_explain.log_timing": "off",
  "auto_explain.log_nested_statements": "on",
  "auto_explain.log_format": "json",
  "logging_collector": "on",
  "log_destination": "jsonlog",
  "log_filename": "plans.log",
  "log_rotation_size": "0",
};

/** Marks the end of the statements in the log. */
const END = crypto.randomUUID();

/** Turns the log off for a connection. */
export const WITHOUT_PLANS = "set auto_explain.log_min_duration = -1";

interface Node {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  /** On average of the loops. */
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly Node[];
}

/** A scan of a table, by a statement. */
export interface Scan {
  readonly statement: string;
  readonly table: string;
  readonly type: string;
  readonly index: string | undefined;
  /** Rows that were read. */
  readonly rows: number;
}

/** A statement that was executed, with its scans. */
export interface LoggedStatement {
  readonly text: string;
  readonly scans: readonly Scan[];
}

/** Returns the statements of a database since a time. */
export async function loggedStatements(
  { server, query }: Pick<TestDatabase, "server" | "query">,
  since: Date,
): Promise<LoggedStatement[]> {
  const [row] = await query(`select current_database() as name, '${END}' as mark`);
  const read = () => Deno.readTextFile(`${server.directory}/data/log/plans.json`);
  // another process writes it
  await until(async () => (await read()).includes(END));
  const log = await read();
  return log.split("\n").flatMap((line): LoggedStatement[] => {
    if (!line.includes(" plan:")) return [];
    const { dbname, timestamp, message } = JSON.parse(line);
    if (dbname !== row!.name || new Date(timestamp) < since) return [];
    const { "Query Text": text, Plan: plan } = JSON.parse(message.slice(message.indexOf("{")));
    return [{ text, scans: scansOf(text, plan) }];
  });
}

function scansOf(statement: string, node: Node): Scan[] {
  const { "Relation Name": table, "Index Name": index, "Node Type": type, Plans: plans = [] } =
    node;
  const scans = plans.flatMap((child) => scansOf(statement, child));
  if (table === undefined || !type.includes("Scan")) return scans;
  const rows = node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) +
    (node["Rows Removed by Index Recheck"] ?? 0);
  return [...scans, { statement, table, type, index, rows: rows * node["Actual Loops"] }];
}
