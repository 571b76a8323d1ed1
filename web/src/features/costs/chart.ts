/** Where charts draw what; pure, so that every size can be checked. Amounts are micro-dollars. */

export type Box = { width: number; height: number; left: number; right: number; top: number; bottom: number };

export type Tick = { value: number; y: number };

/** Round marks from 0 to at least `most`; the last one is the top of the scale. */
export function scaleOf(most: number, wanted: number): number[] {
  if (most <= 0) return [0, 1_000_000];
  const raw = most / wanted;
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((n) => n * size >= raw * 0.999) ?? 10) * size;
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, i) => Math.round(i * step));
}

export type Guess = { price: number; low: number; high: number };

/** One step of time: what each series cost, or what is expected. */
export type Slot = { parts: number[]; guess?: Guess | undefined };

export type Segment = { series: number; y: number; height: number };
export type Bar = {
  x: number;
  width: number;
  middle: number;
  /** The top of what is drawn. */
  y: number;
  segments: Segment[];
  guess?: { y: number; height: number; low: number; high: number };
};
export type Bars = { bars: Bar[]; ticks: Tick[]; limitY: number | undefined; base: number };

const gap = 1.2;

/** Stacked bars side by side, with the expected ones behind and an optional limit. */
export function layoutBars(slots: readonly Slot[], box: Box, limit?: number): Bars {
  const sums = slots.map((slot) => slot.parts.reduce((a, b) => a + b, 0));
  const most = Math.max(0, limit ?? 0, ...sums, ...slots.map((slot) => slot.guess?.high ?? 0));
  const marks = scaleOf(most, 3);
  const top = marks[marks.length - 1] || 1;
  const base = box.height - box.bottom;
  const room = base - box.top;
  const at = (value: number) => base - (value / top) * room;
  const pitch = (box.width - box.left - box.right) / Math.max(slots.length, 1);
  const width = Math.min(Math.max(pitch * 0.75, 1.5), 40);
  const bars = slots.map((slot, i): Bar => {
    const x = box.left + i * pitch + (pitch - width) / 2;
    let below = 0;
    const segments: Segment[] = [];
    slot.parts.forEach((part, series) => {
      if (part <= 0) return;
      const y = at(below + part);
      const full = at(below) - y;
      const height = Math.max(full - gap, Math.min(full, 0.6));
      segments.push({ series, y, height });
      below += part;
    });
    const bar: Bar = {
      x,
      width,
      middle: x + width / 2,
      y: at(Math.max(below, slot.guess?.price ?? 0)),
      segments,
    };
    if (slot.guess) {
      const { price, low, high } = slot.guess;
      bar.guess = { y: at(price), height: base - at(price), low: at(Math.max(low, 0)), high: at(high) };
    }
    return bar;
  });
  return {
    bars,
    base,
    ticks: marks.map((value) => ({ value, y: at(value) })),
    limitY: limit ? at(limit) : undefined,
  };
}

/** Which of `count` steps get a label so that labels keep `room` pixels: first and last always, then every nth. */
export function labelled(count: number, pitch: number, room: number): number[] {
  if (count === 0) return [];
  const every = [1, 5, 10, 15, 30].find((n) => n * pitch >= room) ?? count;
  const chosen = [0];
  for (let i = every - 1; i < count; i += every) if (i * pitch >= room) chosen.push(i);
  const last = chosen[chosen.length - 1] ?? 0;
  if (last !== count - 1) {
    if ((count - 1 - last) * pitch < room && last !== 0) chosen.pop();
    chosen.push(count - 1);
  }
  return chosen;
}

export type Sum = {
  line: string;
  area: string;
  expected: string;
  band: string;
  now: { x: number; y: number } | undefined;
  ticks: Tick[];
  limitY: number | undefined;
  base: number;
  xOf: (day: number) => number;
};

/** The sum over a month as a line, going on dashed inside a widening band. Days count from 0; x 0 is its start. */
export function layoutSum(
  spent: readonly number[],
  ahead: { days: readonly number[]; end: Guess } | undefined,
  days: number,
  box: Box,
  limit?: number,
): Sum {
  const base = box.height - box.bottom;
  let present = 0;
  const sums = [0];
  for (const one of spent) {
    present += one;
    sums.push(present);
  }
  const path = ahead ? fan(present, ahead.days, ahead.end) : [];
  const end = path[path.length - 1];
  const marks = scaleOf(Math.max(present, limit ?? 0, end?.high ?? 0), 4);
  const top = marks[marks.length - 1] || 1;
  const y = (value: number) => base - (value / top) * (base - box.top);
  const xOf = (day: number) => box.left + (day / Math.max(days, 1)) * (box.width - box.left - box.right);
  const points = sums.map((value, i) => point(xOf(i), y(value)));
  const from = spent.length;
  const nowX = xOf(from);
  const steps = path.map((one, i) => ({ x: xOf(from + i + 1), one }));
  return {
    line: points.join(" "),
    area: [point(xOf(0), base), ...points, point(nowX, base)].join(" "),
    expected: steps.length
      ? [point(nowX, y(present)), ...steps.map(({ x, one }) => point(x, y(one.price)))].join(" ")
      : "",
    band: steps.length
      ? [
          point(nowX, y(present)),
          ...steps.map(({ x, one }) => point(x, y(one.high))),
          ...[...steps].reverse().map(({ x, one }) => point(x, y(one.low))),
        ].join(" ")
      : "",
    now: spent.length > 0 ? { x: nowX, y: y(present) } : undefined,
    ticks: marks.map((value) => ({ value, y: y(value) })),
    limitY: limit ? y(limit) : undefined,
    base,
    xOf,
  };
}

/** Adds expected days up; the range opens with the root of the days until it is that of the end. */
export function fan(present: number, guesses: readonly number[], end: Guess): Guess[] {
  const total = guesses.reduce((a, b) => a + b, 0) || 1;
  let sum = 0;
  return guesses.map((guess, i) => {
    sum += guess;
    const price = present + ((end.price - present) * sum) / total;
    const open = Math.sqrt((i + 1) / guesses.length);
    return {
      price,
      low: Math.max(present, price - (end.price - end.low) * open),
      high: price + (end.high - end.price) * open,
    };
  });
}

/** A small line without axes. */
export function sparkline(values: readonly number[], width: number, height: number): string {
  const most = Math.max(...values, 1);
  const step = width / Math.max(values.length - 1, 1);
  return values.map((value, i) => point(i * step, 2 + (1 - value / most) * (height - 4))).join(" ");
}

const point = (x: number, y: number) => `${x.toFixed(1)},${y.toFixed(1)}`;
