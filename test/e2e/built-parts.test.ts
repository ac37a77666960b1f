import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import pLimit from 'p-limit'
import { expect, test } from 'vitest'

const PROGRAM = resolve('dist/scripts/registry.js')

/** Comment before the code of a package in a file of the build. */
const PACKAGE_CODE = /^\/\/.*node_modules\//m

/** Lists the files of the build with code of packages that a program loads only when something needs them. */
function listLateParts(): string[] {
  const late = new Set<string>()
  const files = new Set([PROGRAM])
  for (const file of files) {
    const imports = readFileSync(file, 'utf8').matchAll(
      /(import\(|from ?|import ?)"(\.[^"]+\.js)"/g,
    )
    for (const [, how, path] of imports) {
      const part = resolve(dirname(file), path!)
      if (!part.includes('/dist/chunks/') || !existsSync(part)) continue
      files.add(part)
      if (how === 'import(') late.add(part)
    }
  }
  return [...late].filter(part => PACKAGE_CODE.test(readFileSync(part, 'utf8')))
}

/** Loads a part as the first one of a thread, as the first request that needs it does; returns why it cannot be. */
function load(part: string): Promise<string[]> {
  return new Promise(resolve => {
    const code = `import(${JSON.stringify(part)}).then(() => process.exit(0))`
    const worker = new Worker(code, { eval: true, stdout: true })
    worker.on('error', error => resolve([`${part}: ${error}`]))
    worker.on('exit', () => resolve([]))
  })
}

test('packages that the built program loads late can be loaded, whatever was loaded before', async () => {
  const parts = listLateParts()
  expect(parts.length).toBeGreaterThan(5)
  const limit = pLimit(4)
  const failed = await Promise.all(parts.map(part => limit(load, part)))
  expect(failed.flat()).toEqual([])
})
