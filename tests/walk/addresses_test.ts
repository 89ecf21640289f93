import { assertEquals } from "@std/assert";
import { AddressBudget, type ListedAddress } from "../../src/walk/addresses.ts";

Deno.test("AddressBudget accepts 16 Mi characters, and as many again once they are released", () => {
  const budget = new AddressBudget(1);
  const list: ListedAddress[] = [];
  const address = "x".repeat(1_000_000);
  while (budget.take(address)) list.push({ url: address });
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
