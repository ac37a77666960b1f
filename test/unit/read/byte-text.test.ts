import { expect, it } from 'vitest'
import { ByteText, toByteCharacters } from '../../../pipeline/read/lookups/byte-text.ts'

it.each(['{"name":"Acme"}', '{"name":"Übergröße 株式会社 🎉"}', ''])(
  'bytes of %j are kept one a character, and read as text',
  text => {
    const bytes = toByteCharacters(text)
    const answer = new ByteText(bytes)
    expect(answer.toBuffer()).toEqual(Buffer.from(text))
    expect(answer.length).toBe(Buffer.byteLength(text))
    expect(answer.toString()).toBe(text)
    expect(bytes).toBe(Buffer.from(text).toString('latin1'))
  },
)
