import { createInterface } from 'node:readline/promises'
import { unwrapOrExit } from './running.ts'

/**
 * Has somebody at a terminal type the name of what is deleted; elsewhere, or where it is another one, the command ends.
 * `parse` reads a name as the command does.
 */
export async function confirmOrExit(
  name: string,
  confirmed: string | undefined,
  parse = (typed: string): string | undefined => typed,
): Promise<void> {
  const typed = confirmed ?? (process.stdin.isTTY ? await askAtTerminal(name) : undefined)
  if (typed !== undefined && parse(typed) === name) return
  unwrapOrExit({
    refused:
      typed === undefined
        ? `Nothing was deleted. Deleted data cannot be restored: to go on, add --confirm ${quote(name)}`
        : `Nothing was deleted: “${typed}” is not ${name}`,
  })
}

async function askAtTerminal(name: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await terminal.question(`Deleted data cannot be restored. Type ${name} to go on: `)
  } finally {
    terminal.close()
  }
}

/** Quotes a name for a shell where it needs that. */
function quote(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`
}
