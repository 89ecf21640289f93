import { assertEquals } from "@std/assert";
import { AddressList } from "../../src/walk/addresses.ts";
import { ChildBudget } from "../../src/walk/tally.ts";

Deno.test("an address list gives back what was added, in order, however long", () => {
  const addresses = [
    "https://a.test/",
    "",
    "https://a.test/é日😀",
    "\ufeffhttps://a.test/mark",
    ...Array.from({ length: 5000 }, (_, at) => `https://a.test/${"x".repeat(at % 300)}${at}`),
    `https://a.test/${"é".repeat(400_000)}`,
    "https://a.test/last",
  ];
  const list = new AddressList();
  for (const address of addresses) list.push(address);
  assertEquals(list.length, addresses.length);
  assertEquals(list.characters, addresses.reduce((sum, { length }) => sum + length, 0));
  assertEquals([...list], addresses);
  assertEquals(list.at(3), addresses[3]);
  assertEquals(list.at(addresses.length), undefined);
});

Deno.test("an empty address list has nothing", () => {
  const list = new AddressList();
  assertEquals([list.length, list.at(0), [...list]], [0, undefined, []]);
});

Deno.test("a child budget has room for so many characters, and for as many again once given back", () => {
  const budget = new ChildBudget(1);
  const list = new AddressList();
  const address = "x".repeat(1_000_000);
  while (budget.take(address)) list.push(address);
  assertEquals(list.length, 16);
  assertEquals(budget.take(address), false);
  budget.give(list);
  for (let count = 0; count < 16; count++) assertEquals(budget.take(address), true);
  assertEquals(budget.take(address), false);
});

Deno.test("a child budget grows with the number of sitemaps", () => {
  const budget = new ChildBudget(1_000_000);
  let room = 0;
  while (budget.take("x".repeat(1_000_000 - 32))) room++;
  assertEquals(room, 256);
  assertEquals(new ChildBudget(Infinity).take("x".repeat(1000)), true);
});
