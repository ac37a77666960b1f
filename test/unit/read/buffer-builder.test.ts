import { describe, expect, it } from 'vitest'
import { BufferBuilder } from '../../../pipeline/read/lookups/buffer-builder.ts'

function buildText(writer: BufferBuilder, text: string) {
  writer.start()
  writer.ascii(text)
  return writer.lend()
}

describe('lent bytes', () => {
  it('are reused once they are returned, and not before', () => {
    const writer = new BufferBuilder()
    const first = buildText(writer, 'first')
    const second = buildText(writer, 'second')
    first.release()
    const third = buildText(writer, 'third')
    const fourth = buildText(writer, 'fourth')
    expect([second, third, fourth].map(({ body }) => body.toString())).toEqual([
      'second',
      'third',
      'fourth',
    ])
    expect(fourth.body.buffer).toBe(first.body.buffer)
  })

  it('are used by one answer although they are returned twice', () => {
    const writer = new BufferBuilder()
    const first = buildText(writer, 'first')
    first.release()
    first.release()
    const later = ['a', 'b', 'c'].map(text => buildText(writer, text))
    expect(later.map(({ body }) => body.toString())).toEqual(['a', 'b', 'c'])
    expect(new Set(later.map(({ body }) => body.buffer)).size).toBe(3)
  })

  it('are not kept beyond some megabytes', () => {
    const writer = new BufferBuilder()
    const large = 'x'.repeat(3 * 1024 * 1024)
    const lent = Array.from({ length: 4 }, () => buildText(writer, large))
    for (const { release } of lent) release()
    const buffers = new Set(lent.map(({ body }) => body.buffer))
    const again = Array.from({ length: 5 }, () => buildText(writer, 'x'))
    expect(again.filter(({ body }) => buffers.has(body.buffer))).toHaveLength(2)
  })
})
