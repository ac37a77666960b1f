import { requireProgram } from './programs.mjs'

/** Makes a Chromium available, in which tests look at the pages. */
export function requireChromium() {
  requireProgram(
    ['chromium-headless-shell', 'chromium', 'google-chrome', 'chromium-browser'],
    'chromium-headless-shell',
  )
}
