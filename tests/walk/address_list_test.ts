import { assertEquals } from "@std/assert";
import { AddressBudget, AddressList } from "../../src/walk/address_list.ts";

Deno.test("AddressList keeps addresses in order, each with its time", () => {
  const list = new AddressList();
  list.push("https://a.test/é", 5);
  list.push("https://a.test/");
  assertEquals([list.length, list.characters], [2, 31]);
  assertEquals([list.at(0), list.timeAt(0)], ["https://a.test/é", 5]);
  assertEquals([list.at(1), list.timeAt(1)], ["https://a.test/", NaN]);
});

Deno.test("AddressBudget accepts 16 Mi characters, and as many again once they are released", () => {
  const budget = new AddressBudget(1);
  const list = new AddressList();
  const address = "x".repeat(1_000_000);
  while (budget.take(address)) list.push(address);
  assertEquals(list.length, 16);
  assertEquals(budget.take(address), false);
  budget.release(list);
  for (let count = 0; count < 16; count++) assertEquals(budget.take(address), true);
  assertEquals(budget.take(address), false);
});

Deno.test("AddressBudget grows with the number of sitemaps", () => {
  const budget = new AddressBudget(1_000_000);
  let count = 0;
  while (budget.take("x".repeat(1_000_000 - 64))) count++;
  assertEquals(count, 256);
  assertEquals(new AddressBudget(Infinity).take("x".repeat(1000)), true);
});
