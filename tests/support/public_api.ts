/** Reads the public types of modules from `deno doc --json`. @module */

interface DocType {
  readonly kind: string;
  readonly value?: unknown;
}

interface DocMember {
  readonly name: string;
  readonly tsType?: DocType;
  readonly jsDoc?: { readonly doc?: string };
}

interface DocDefinition {
  readonly properties?: readonly DocMember[];
  readonly methods?: readonly DocMember[];
  readonly extends?: readonly DocType[];
  readonly tsType?: DocType;
}

interface DocSymbol {
  readonly name: string;
  readonly declarations: readonly { readonly def?: DocDefinition }[];
}

interface DocOutput {
  readonly nodes: Readonly<Record<string, { readonly symbols: readonly DocSymbol[] }>>;
}

export class PublicApi {
  readonly #symbols = new Map<string, DocSymbol>();

  /** Takes the output of `deno doc --json`. */
  constructor(output: unknown) {
    for (const { symbols } of Object.values((output as DocOutput).nodes)) {
      for (const symbol of symbols) this.#symbols.set(symbol.name, symbol);
    }
  }

  static async of(...paths: string[]): Promise<PublicApi> {
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["doc", "--json", ...paths],
      stdout: "piped",
      stderr: "piped",
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return new PublicApi(JSON.parse(new TextDecoder().decode(stdout)));
  }

  get names(): string[] {
    return [...this.#symbols.keys()];
  }

  /** Returns the members of an interface or alias, inherited ones included. */
  membersOf(name: string): string[] {
    const members = this.#definitionsOf(name).flatMap((definition) => [
      ...(definition.properties ?? []).map((property) => property.name),
      ...(definition.methods ?? []).map((method) => method.name),
    ]);
    return [...new Set(members)];
  }

  /** Returns the doc comment of a member, `""` if it has none. */
  docOf(name: string, member: string): string {
    const [found] = this.#definitionsOf(name).flatMap(({ properties = [] }) =>
      properties.filter((property) => property.name === member)
    );
    return found?.jsDoc?.doc?.replace(/\s+/g, " ").trim() ?? "";
  }

  /** Returns the string literals of a member, in all types of a union. */
  literalsOf(union: string, member: string): string[] {
    return this.#definitionsOf(union).flatMap(({ properties = [] }) =>
      properties.filter((property) => property.name === member).flatMap((property) =>
        stringsIn(property.tsType)
      )
    );
  }

  #definitionsOf(name: string, seen: Set<string> = new Set()): DocDefinition[] {
    if (seen.has(name)) return [];
    seen.add(name);
    const own = (this.#symbols.get(name)?.declarations ?? []).flatMap(({ def }) => def ?? []);
    const others = own.flatMap((definition) => [
      ...(definition.extends ?? []),
      ...(definition.tsType === undefined ? [] : [definition.tsType]),
    ]).flatMap((type) => {
      const names = namesIn(type);
      const below = names.flatMap((other) => this.#definitionsOf(other, seen));
      return names[0] === "Pick" ? below.map((one) => picked(one, stringsIn(type))) : below;
    });
    return [...own, ...others];
  }
}

function picked(definition: DocDefinition, names: readonly string[]): DocDefinition {
  const properties = (definition.properties ?? []).filter(({ name }) => names.includes(name));
  return { ...definition, properties };
}

/** Returns the names of the types that a type refers to. */
function namesIn(type: unknown): string[] {
  if (typeof type !== "object" || type === null) return [];
  const below = Object.values(type).flatMap(namesIn);
  const name = (type as { typeName?: unknown }).typeName;
  return typeof name === "string" ? [name, ...below] : below;
}

function stringsIn(type: unknown): string[] {
  if (typeof type !== "object" || type === null) return [];
  const { kind, string } = type as { kind?: unknown; string?: unknown };
  if (kind === "string" && typeof string === "string") return [string];
  return Object.values(type).flatMap(stringsIn);
}
