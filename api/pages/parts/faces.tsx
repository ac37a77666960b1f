import { findApprovedLogos } from '../../../pipeline/read/lookups/logos.ts'
import { findBrandName } from '../../../pipeline/read/lookups/operated.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { buildLogoPath } from '../../routes/brands/logos.ts'
import { type Child, type Html, h } from '../html/jsx.ts'
import { renderName } from '../html/text.tsx'
import { renderMonogram } from './looks.tsx'

const MARK_PX = 20

/** Renderers of domains for people, by the name and the picture that each has. */
export interface Faces {
  /** Renders the logo of a domain, or the first letter of its name. */
  renderMark(domain: string, size?: number, name?: string): Html
  /** Renders the name of a domain. */
  renderName(domain: string): Html
  /** Renders the domain, with a separator after it; nothing for one that is shown as its own name. */
  renderDomain(domain: string, separator?: string): Child
  /** Renders all three as a link. */
  renderLink(domain: string, path: string): Html
}

/** Finds the faces of domains: the names of their brands, and the logos that this server has. */
export function findFaces(reader: Reader, domains: readonly string[]): Faces {
  const logos = findApprovedLogos(reader, domains)
  const faces: Faces = {
    renderMark(domain, size = MARK_PX, name = findBrandName(reader, domain)) {
      const logo = logos.get(domain)
      return logo === undefined ? (
        renderMonogram(name, domain, size)
      ) : (
        <img class="logo" src={buildLogoPath(logo)} alt="" width={size} height={size} />
      )
    },
    renderName: domain => renderName(findBrandName(reader, domain), 80),
    renderDomain: (domain, separator) =>
      renderDomain(domain, findBrandName(reader, domain), separator),
    renderLink(domain, path) {
      const name = findBrandName(reader, domain)
      return (
        <a class="face" href={path}>
          {faces.renderMark(domain, MARK_PX, name)}
          {renderName(name, 80)} <div>{renderDomain(domain, name)}</div>
        </a>
      )
    },
  }
  return faces
}

function renderDomain(domain: string, name: string, separator = ''): Html | null {
  return name === domain ? null : (
    <span class="quiet">
      {renderName(domain)}
      {separator}
    </span>
  )
}
