import { isAbsolute, resolve } from 'node:path'

/** Resolves a path from where the command was typed: npm runs commands in the project's folder. */
export function toTypedPath(path: string): string {
  return isAbsolute(path) ? path : resolve(process.env.INIT_CWD ?? process.cwd(), path)
}
