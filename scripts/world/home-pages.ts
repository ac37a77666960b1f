import { createHash } from 'node:crypto'
import { type Answer, answerJson, file } from './answer.ts'
import type { Place } from './site.ts'

/**
 * Builds the home page of a company that describes itself in linked data, as search engines ask
 * for.
 */
export function buildBrandPages(host: string, title: string): NonNullable<Place['pages']> {
  const color = `#${createHash('sha256').update(host).digest('hex').slice(0, 6)}`
  return {
    '/': () => file(buildPage(host, title, color), 'text/html; charset=utf-8'),
    '/site.webmanifest': () =>
      answerJson({
        name: title,
        theme_color: color,
        background_color: '#fff',
        icons: [{ src: '/icon-512.png', sizes: '512x512', type: 'image/png' }],
      }),
    '/logo.svg': () => answerLogo(color),
  }
}

function buildPage(host: string, title: string, color: string): string {
  const company = {
    '@context': 'https://schema.org',
    '@type': 'Organization',
    name: title,
    legalName: `${title} Ltd`,
    url: `https://${host}/`,
    logo: { '@type': 'ImageObject', url: '/logo.svg' },
    slogan: 'Made up with care',
    sameAs: [`https://social.example/${host.split('.')[0]}`],
    foundingDate: '1998-04-01',
    numberOfEmployees: { '@type': 'QuantitativeValue', minValue: 50, maxValue: 200 },
    address: { '@type': 'PostalAddress', addressLocality: 'Lisbon', addressCountry: 'PT' },
  }
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<title>${title} | Home</title>`,
    `<meta name="description" content="${title} is part of an invented internet.">`,
    `<meta property="og:site_name" content="${title}">`,
    `<meta name="theme-color" content="${color}">`,
    '<link rel="icon" href="/icon.png"><link rel="manifest" href="/site.webmanifest">',
    `<script type="application/ld+json">${JSON.stringify(company)}</script>`,
    `</head><body><h1>${title}</h1></body></html>`,
  ].join('\n')
}

function answerLogo(color: string): Answer {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg"><circle r="9" fill="${color}"/></svg>`
  return file(svg, 'image/svg+xml')
}
