import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { makeTemporaryFolder } from '../processes/command.ts'

const run = promisify(execFile)

/** First the one without a window of its own, which takes two thirds of the processor time. */
const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** A browser of this machine; undefined where it has none. */
export const browser = places.find(file => existsSync(file))

/** Opens a page in a real browser and returns its document when it has been loaded, as HTML. */
export async function openInBrowser(url: string): Promise<string> {
  const profile = makeTemporaryFolder()
  try {
    const options = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage']
    const ours = [`--user-data-dir=${profile.path}`, '--virtual-time-budget=5000', '--dump-dom']
    const { stdout } = await run(browser!, [...options, ...ours, url], { timeout: 120_000 })
    return stdout
  } finally {
    profile.remove()
  }
}
