import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { detach } from '../../../pipeline/core/strings.ts'

const TEXTS = 100
const CHARS = 500_000

/**
 * Measures the bytes of heap that stay allocated for what `keep` makes of a piece of each of many long
 * texts.
 */
function measureHeldBytes(keep: (piece: string) => string): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const before = process.memoryUsage().heapUsed
  const pieces = Array.from({ length: TEXTS }, (_, n) => {
    const text = Buffer.alloc(CHARS, `${n} a-location.example `).toString('latin1')
    return keep(text.slice(0, 20))
  })
  collect()
  const held = process.memoryUsage().heapUsed - before
  expect(new Set(pieces).size).toBe(TEXTS)
  return held
}

describe('a detached copy', () => {
  it('releases the long text that it was cut from', () => {
    expect(measureHeldBytes(piece => piece)).toBeGreaterThan((TEXTS * CHARS) / 2)
    expect(measureHeldBytes(detach)).toBeLessThan(CHARS)
  })

  it('equals the original', () => {
    for (const text of ['', 'brand.json bücher.example', '🙂'.repeat(50)]) {
      expect(detach(text)).toBe(text)
    }
  })
})
