import { fileURLToPath } from 'node:url'

/** The folder that holds `data/`, found from the sources and from `dist/` alike. */
export const projectRoot = fileURLToPath(new URL('../..', import.meta.url)).replace(
  /(?:\/dist)?\/$/,
  '',
)
