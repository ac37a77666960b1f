import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { makeTemporaryFolder } from '../../../support/processes/command.ts'

const module = pathToFileURL(join(import.meta.dirname, '../../../../scripts/setup/browser.mjs'))
const folder = makeTemporaryFolder()
afterAll(() => folder.remove())

test('a build of browser programs leaves no NODE_ENV to the program that is started next', () => {
  const built = join(folder.path, 'built')
  const { NODE_ENV: _, ...env } = process.env
  const script = `
    const { buildBrowser } = await import(${JSON.stringify(module.href)})
    await buildBrowser(${JSON.stringify(built)})
    console.log(String(process.env.NODE_ENV))`
  const args = ['--input-type=module', '--eval', script]
  const output = execFileSync(process.execPath, args, { env, encoding: 'utf8' })
  expect(output.trim()).toBe('undefined')
  expect(existsSync(join(built, 'manifest.json'))).toBe(true)
})
