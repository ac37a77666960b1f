export interface Spread {
  median: number
  q1: number
  q3: number
}

export function computeSpread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) => {
    const place = share * (sorted.length - 1)
    const below = sorted[Math.floor(place)] ?? Number.NaN
    return below + ((sorted[Math.ceil(place)] ?? Number.NaN) - below) * (place % 1)
  }
  return { median: at(0.5), q1: at(0.25), q3: at(0.75) }
}

export function computeMedian(values: readonly number[]): number {
  return computeSpread(values).median
}

/** Rounds to three digits: further ones are noise. */
export function roundForPrint(value: number): number {
  return Number(value.toPrecision(3))
}

export function roundSpread({ median, q1, q3 }: Spread): Spread {
  return { median: roundForPrint(median), q1: roundForPrint(q1), q3: roundForPrint(q3) }
}
