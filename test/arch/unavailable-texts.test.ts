import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../api')
/** A refusal for the moment, with the text that its caller reads. */
const REFUSAL = /'unavailable',\s*(['`][^'`]*['`])(?=,|\))/g
const NEXT_STEP = /try again|; download it/

test('whoever is refused for the moment reads what to do next', () => {
  const texts = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name))
    .flatMap(name => Array.from(readFileSync(join(root, name), 'utf8').matchAll(REFUSAL)))
    .map(([, text = '']) => text)
    .filter(text => text.includes(' '))
  expect(texts.length).toBeGreaterThan(10)
  expect(texts.filter(text => !NEXT_STEP.test(text))).toEqual([])
})
