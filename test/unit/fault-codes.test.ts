import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { faultCodeNames, faultCodes } from '../../pipeline/model/fault-codes.ts'

const root = join(import.meta.dirname, '../..')

test('every code of the table is reported somewhere, and says what to do', () => {
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
