import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { assertDemoIsMeant } from '../../../scripts/commands/demo-folder.ts'
import { createDataDir } from '../../support/registry/registry.ts'

test.each<[BASE_URL: string | undefined, holds: 'nothing' | 'the demo', mayBegin: boolean]>([
  [undefined, 'nothing', true],
  ['http://localhost:3000', 'nothing', true],
  ['http://10.0.0.1:3000', 'nothing', true],
  ['http://registry.internal', 'nothing', true],
  ['https://registry.example', 'nothing', true],
  ['https://registry.example.com', 'nothing', false],
  ['http://registry.acme.com:3000', 'nothing', false],
  ['https://registry.example.com', 'the demo', true],
])('at %s a start in a folder that holds %s runs the demo: %s', (BASE_URL, holds, mayBegin) => {
  const DATA_DIR = createDataDir()
  if (holds === 'the demo') writeFileSync(`${DATA_DIR}/demo-domains.txt`, '')
  const begin = () => assertDemoIsMeant({ DATA_DIR, BASE_URL })
  if (mayBegin) expect(begin()).toBeUndefined()
  else
    expect(begin).toThrow(
      `${DATA_DIR} holds no registry, and no demo begins at ${BASE_URL}, which is a public address: ` +
        'set DATA_DIR to the folder of your registry, or begin one with `registry start --domains FILE`.',
    )
})
