import { describe, expect, it } from "vitest";
import { Pace } from "../src/stage/painter.ts";

describe("the pace of pictures", () => {
  it("is hurried until two pictures were timed, the first not among them", () => {
    const pace = new Pace();
    expect([pace.slow, pace.known, pace.timed(), pace.timed()]).toEqual([true, false, false, true]);
    pace.took(4);
    expect([pace.slow, pace.known, pace.timed()]).toEqual([false, false, true]);
    pace.took(4);
    expect([pace.slow, pace.known, pace.timed()]).toEqual([false, true, false]);
  });

  it("does not call a machine slow for one picture that was disturbed", () => {
    const pace = new Pace();
    for (const time of [5, 90, 5, 80]) pace.took(time);
    expect(pace.slow).toBe(false);
    for (const time of [60, 70]) pace.took(time);
    expect(pace.slow).toBe(true);
  });

  it("between slow and quick stays what it was", () => {
    const pace = new Pace();
    for (const time of [4, 4, 4, 10, 10, 10]) pace.took(time);
    expect(pace.slow).toBe(false);
    for (const time of [40, 40, 40, 10, 10, 10]) pace.took(time);
    expect(pace.slow).toBe(true);
  });

  it("has fewer pixels the slower it is, never less than half of the page's, never more than in full", () => {
    const share = (time: number, ratio = 1) => {
      const pace = new Pace();
      for (let k = 0; k < 3; k++) pace.took(time);
      return pace.share(ratio);
    };
    expect(share(10)).toBe(1);
    expect(share(40)).toBe(0.5);
    expect(share(2000)).toBe(0.4);
    expect(share(2000, 2)).toBe(0.2);
  });
});
