import { getDomain, getDomainWithoutSuffix } from 'tldts'

/** Providers by the label that they use under many suffixes. */
const labels = new Set(
  'gmail googlemail outlook hotmail live msn yahoo ymail rocketmail icloud aol proton protonmail gmx yandex zoho fastmail tutanota rediffmail'.split(
    ' ',
  ),
)

/** Providers by their domain, including access providers with mailboxes. */
const domains = new Set(
  (
    'me.com mac.com pm.me web.de t-online.de freenet.de mail.com email.com mail.ru bk.ru inbox.ru list.ru rambler.ru ' +
    'ukr.net qq.com foxmail.com 163.com 126.com yeah.net sina.com sina.cn sohu.com naver.com hanmail.net daum.net ' +
    'hey.com tuta.io tuta.com duck.com mailbox.org posteo.de comcast.net verizon.net att.net sbcglobal.net ' +
    'bellsouth.net cox.net charter.net earthlink.net btinternet.com sky.com virginmedia.com orange.fr wanadoo.fr ' +
    'free.fr sfr.fr laposte.net libero.it virgilio.it tiscali.it alice.it wp.pl o2.pl onet.pl interia.pl seznam.cz ' +
    'telenet.be ziggo.nl kpnmail.nl bluewin.ch uol.com.br bol.com.br terra.com.br bigpond.com optusnet.com.au shaw.ca ' +
    'rogers.com sympatico.ca docomo.ne.jp ezweb.ne.jp softbank.ne.jp'
  ).split(' '),
)

/** Tells whether anybody can get a mailbox at this domain, so that one proves nothing about it. */
export function isFreeMail(domain: string): boolean {
  const options = { allowPrivateDomains: true, extractHostname: false }
  const site = getDomain(domain, options)
  // A public suffix has no owner that a mailbox could identify.
  if (site === null || domains.has(site)) return true
  return labels.has(getDomainWithoutSuffix(domain, options) ?? '')
}
