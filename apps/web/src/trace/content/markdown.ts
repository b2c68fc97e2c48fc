// Renders untrusted Markdown as harmless elements, without scripts, styles, forms or frames.
import createPurifier from 'dompurify'
import { Marked } from 'marked'

const escaped = (text: string): string => text.replace(/[&<>"]/g, each => `&#${each.charCodeAt(0)};`)

/** HTML becomes source text and a picture becomes a link, so all content stays visible but harmless. */
const markdown = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    html: ({ text }) => escaped(text),
    image: ({ href, text }) => `<a href="${escaped(href)}">${escaped(text || href)}</a>`,
  },
})

const purifier = createPurifier(window)

purifier.addHook('afterSanitizeAttributes', node => {
  if (!(node instanceof Element)) return
  // Links are allowed, because the browser fetches the target of a link only when the user opens the link.
  if (node.tagName === 'A') {
    node.setAttribute('rel', 'noopener noreferrer')
    node.setAttribute('target', '_blank')
    node.setAttribute('title', node.getAttribute('href') ?? '')
  }
})

export function renderMarkdown(text: string): DocumentFragment {
  const html = markdown.parse(text, { async: false })
  return purifier.sanitize(html, {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: [
      ...['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code', 'em', 'strong', 'del', 'a'],
      ...['table', 'thead', 'tbody', 'tr', 'th', 'td', 'sup', 'sub'],
    ],
    ALLOWED_ATTR: ['href', 'align', 'start'],
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  })
}
