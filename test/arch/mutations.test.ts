import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  conditions,
  harmless,
  listConditionMutants,
  listMutants,
  regions,
} from '../mutations/mutants.ts'

const root = join(import.meta.dirname, '../..')
const readSource = ({ file }: { file: string }) => readFileSync(join(root, file), 'utf8')

test('what check:mutations calls harmless stands in the code that it changes', () => {
  const mutants = [
    ...regions.flatMap(region => listMutants(region, readSource(region))),
    ...conditions.flatMap(condition => listConditionMutants(condition, readSource(condition))),
  ]
  expect(mutants.length).toBeGreaterThan(100)
  const texts = new Set(mutants.map(({ text }) => text))
  expect(Object.keys(harmless).filter(text => !texts.has(text))).toEqual([])
})
