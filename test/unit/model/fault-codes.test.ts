import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { faultCodeNames, faultCodes } from '../../../pipeline/model/fault-codes.ts'
import { toSentence } from '../../../pipeline/parse/check-adagents.ts'

const root = join(import.meta.dirname, '../../..')

test('every code of the table is used, and gives advice', () => {
  const sources = ['pipeline', 'api']
    .flatMap(folder =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        name => `${folder}/${name}`,
      ),
    )
    .filter(name => name.endsWith('.ts') && !name.endsWith('fault-codes.ts'))
    .map(name => readFileSync(join(root, name), 'utf8'))
    .join('\n')
  expect(faultCodeNames.filter(code => !sources.includes(`'${code}'`))).toEqual([])
  for (const { means, repair } of Object.values(faultCodes)) {
    expect(Math.min(means.length, repair.length)).toBeGreaterThan(3)
  }
})

test.each([
  ['a[0].url', 'is missing', 'a[0].url is missing'],
  ['root', 'holds no list', 'the file holds no list'],
  ['json', 'is not valid JSON near line 3', 'the file is not valid JSON near line 3'],
  ['http_status', 'there is no file: publish it', 'there is no file: publish it'],
  ['root', '3 more issues are not listed', '3 more issues are not listed'],
])('a message names its subject: %s %s', (field, message, told) => {
  expect(toSentence({ field, message })).toBe(told)
})
