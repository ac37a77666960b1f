import { type Browser, chromium } from 'playwright-core'
import { browser } from './browser.ts'

/** Starts the browser of this machine, which the set-up made available. */
export function launchBrowser(): Promise<Browser> {
  if (browser === undefined) throw new Error('no browser is installed')
  return chromium.launch({ executablePath: browser, args: ['--disable-gpu'] })
}
