import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { type Answer, type Ask, answerPage, file } from './answer.ts'
import { type FileName, notFound, type Site, type World, wellKnownPaths } from './site.ts'

const types: Readonly<Record<string, string>> = {
  '.json': 'application/json',
  '.html': 'text/html; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.pem': 'application/x-pem-file',
}

/**
 * Builds a world of captured files, laid out as `dir/<domain>/<path>`. Files are read on each
 * request, so they may be edited between two crawls. Nothing outside a domain's folder is served,
 * also not through links.
 */
export function serveFolder(dir: string): World {
  const root = realpathSync(dir)
  const domains = readdirSync(root, { withFileTypes: true })
    .filter(entry => entry.isDirectory() && entry.name.includes('.') && !entry.name.startsWith('.'))
    .map(entry => entry.name)
    .sort()
  const sites = new Map(domains.map(domain => [domain.toLowerCase(), readFolderSite(root, domain)]))
  const expected = domains.flatMap(domain =>
    (['brand.json', 'adagents.json'] as const).map(name => ({
      domain: domain.toLowerCase(),
      file: name,
      situation: isCaptured(join(root, domain), name) ? 'ok' : 'absent',
    })),
  )
  return { domains: [...sites.keys()].sort(), sites, expected }
}

function readFolderSite(root: string, domain: string): Site {
  const folder = realpathSync(join(root, domain))
  const answer = (ask: Ask): Answer => {
    if (ask.path !== '/') return fileAt(folder, ask.path) ?? notFound
    return fileAt(folder, '/index.html') ?? answerPage(domain, `Captured files of ${domain}`)
  }
  return { host: domain.toLowerCase(), answer }
}

function fileAt(folder: string, path: string): Answer | undefined {
  try {
    const found = realpathSync(join(folder, decodeURIComponent(path)))
    if (!found.startsWith(folder + sep) || !statSync(found).isFile()) return undefined
    return file(
      readFileSync(found),
      types[extname(found).toLowerCase()] ?? 'application/octet-stream',
    )
  } catch {
    // Absent, unreadable or not a valid path: the client gets 404.
    return undefined
  }
}

function isCaptured(folder: string, name: FileName): boolean {
  return fileAt(folder, wellKnownPaths[name]) !== undefined
}
