import type { Call } from '../operation/operation.ts'
import type { Ask } from './ask.ts'
import type { ChangeSubject } from './feeds/entries.ts'
import type { Html } from './html/jsx.ts'

/** Content of a page; the document around it is the same for all pages. */
export interface View {
  /** 404 if the registry does not know it. */
  status?: 200 | 400 | 404
  title: string
  /** One sentence, for search engines and where a link is shared. */
  description: string
  body: Html
  /** Address of these facts in the API, without the origin. */
  json?: string
  /** Thing whose changes feed readers can follow; an empty one for all changes. */
  followed?: ChangeSubject
  /** Address of the picture that is shown where the page is shared, without the origin. */
  picture?: string
  /** True if the search box is in the body of the page, so that its head needs none. */
  hasSearch?: true
  /** Line of links below the head of the page: the pages of its section. */
  tabs?: Html
  /** Part of the menu after the sections of the site: the person's account. */
  account?: Html
  /** True if the page updates itself every few seconds while it is open. */
  isLive?: true
  /** A file is edited on the page: its script checks the file while somebody types. */
  isEditor?: true
  /** A passkey is made or used on the page: its script asks the authenticator. */
  hasPasskeys?: boolean | undefined
  /** Address of the program that the page runs in the browser. */
  program?: string | undefined
}

export type ViewCall<Query = unknown, Params = unknown> = Call<Query, Params, unknown, 'public'> & {
  ask: Ask
}
