import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '../../../pipeline/core/project-root.ts'
import { findFreePort } from '../processes/command.ts'

export const hasVarnish = spawnSync('varnishd', ['-V']).status === 0

/** Starts Varnish in front of an API on this machine, as docs/operate/varnish.vcl sets it up. */
export async function startVarnish(origin: URL): Promise<{ base: string; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'varnish-'))
  const text = readFileSync(join(projectRoot, 'docs/operate/varnish.vcl'), 'utf8')
  writeFileSync(
    join(folder, 'here.vcl'),
    text.replaceAll('"registry"', '"127.0.0.1"').replace('"3000"', `"${origin.port}"`),
  )
  const port = await findFreePort()
  const place = ['-n', join(folder, 'work'), '-f', join(folder, 'here.vcl')]
  const args = ['-F', '-j', 'none', '-a', `127.0.0.1:${port}`, '-s', 'malloc,32m', ...place]
  const varnish = spawn('varnishd', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  return {
    base: `http://127.0.0.1:${port}`,
    async close() {
      varnish.kill('SIGTERM')
      if (varnish.exitCode === null) await once(varnish, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
