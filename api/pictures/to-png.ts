import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { needsSecondFont } from './draw.ts'
import { readWoff } from './read-woff.ts'

const FONTS = ['dejavu-fonts-ttf/ttf/DejaVuSans.ttf', 'dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf']
const SECOND_FONT = '@fontsource/unifontex/files/unifontex-latin-400-normal.woff'

type Rasterize = (svg: string) => Uint8Array

let loading: Promise<Rasterize> | undefined

/** Converts an SVG of ours to PNG, with the fonts that we ship and none of the machine. */
export async function toPng(svg: string): Promise<Uint8Array> {
  loading ??= load()
  return (await loading)(svg)
}

/** Loads the rasterizer and its fonts: several megabytes, which most threads never need. */
async function load(): Promise<Rasterize> {
  const { resolve } = createRequire(import.meta.url)
  const { Resvg, initWasm } = await import('@resvg/resvg-wasm')
  await initWasm(readFileSync(resolve('@resvg/resvg-wasm/index_bg.wasm')))
  const fonts = FONTS.map(path => readFileSync(resolve(path)))
  let second: Buffer | undefined
  return svg => {
    const isUsed = needsSecondFont(svg)
    if (isUsed) second ??= readWoff(readFileSync(resolve(SECOND_FONT)))
    const fontBuffers = isUsed && second ? [...fonts, second] : fonts
    const drawing = new Resvg(svg, { font: { fontBuffers, defaultFontFamily: 'DejaVu Sans' } })
    const picture = drawing.render()
    try {
      return Uint8Array.from(picture.asPng())
    } finally {
      // The memory of WebAssembly is not garbage-collected.
      picture.free()
      drawing.free()
    }
  }
}
