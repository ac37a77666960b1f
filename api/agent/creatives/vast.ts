import { escapeHtml } from './render.ts'

/** A video and its landing page. */
interface VideoAd {
  url: string
  /** Length of the video, below a minute. */
  seconds: number
  width: number
  height: number
  link?: string | undefined
  title: string
}

/** Writes a VAST document for one video, which any publisher's player can show. */
export function writeVast({ url, seconds, width, height, link, title }: VideoAd): string {
  const clicks = link
    ? `<VideoClicks><ClickThrough>${escapeHtml(link)}</ClickThrough></VideoClicks>`
    : ''
  const duration = `00:00:${String(seconds).padStart(2, '0')}`
  return (
    '<?xml version="1.0" encoding="UTF-8"?>' +
    '<VAST version="4.2" xmlns="http://www.iab.com/VAST"><Ad id="1"><InLine>' +
    `<AdSystem>reference agent</AdSystem><AdTitle>${escapeHtml(title)}</AdTitle>` +
    `<AdServingId>reference-agent</AdServingId><Creatives><Creative><UniversalAdId idRegistry="unknown">unknown</UniversalAdId>` +
    `<Linear><Duration>${duration}</Duration><MediaFiles>` +
    `<MediaFile delivery="progressive" type="video/mp4" width="${width}" height="${height}">${escapeHtml(url)}</MediaFile>` +
    `</MediaFiles>${clicks}</Linear></Creative></Creatives></InLine></Ad></VAST>`
  )
}
