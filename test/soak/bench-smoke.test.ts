import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const short = ['--smoke', '--pairs', '1', '--seconds', '0.2', '--connections', '4']

/** A thousandth of the full size: whether each bench still runs, not how fast anything is. */
test.each(['points', 'reads', 'pages', 'feed', 'commit', 'saves'])(
  'bench:%s ends with its ratio',
  async name => {
    const file = join(root, `dist/scripts/bench/${name}.js`)
    const { stdout } = await run(process.execPath, ['--expose-gc', file, ...short], { cwd: root })
    const result = JSON.parse(stdout.trimEnd().split('\n').at(-1)!)
    expect(result.bench).toBe(name)
    for (const part of ['q1', 'median', 'q3']) expect(result.ratio[part]).toBeGreaterThan(0)
    expect(stdout.split('\n').filter(line => line.startsWith('{'))).toHaveLength(1)
  },
)
