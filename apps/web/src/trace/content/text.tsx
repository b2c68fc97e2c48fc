// Shows an untrusted text. Long texts are added in pieces, because a megabyte without spaces would block the page.
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { traceText } from '../../text/trace.ts'
import css from './content.module.css'

const pieceCharacters = 50_000

export function Text({ text, isMarkdown }: { readonly text: string; readonly isMarkdown: boolean }) {
  const [shown, setShown] = useState(pieceCharacters)
  const part = text.length <= shown ? text : text.slice(0, shown)
  return (
    <>
      {isMarkdown ? (
        <Markdown text={part} />
      ) : (
        <div className={css['text']} dir="auto">
          {part}
        </div>
      )}
      {text.length > shown && (
        <p className={css['note']}>
          {traceText.detail.some(shown, text.length)}{' '}
          <Button look="quiet" onClick={() => setShown(shown + 4 * pieceCharacters)}>
            {traceText.detail.showMore}
          </Button>
        </p>
      )}
    </>
  )
}

function Markdown({ text }: { readonly text: string }) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let isCurrent = true
    void import('./markdown.ts').then(({ renderMarkdown }) => {
      if (isCurrent) host.current?.replaceChildren(renderMarkdown(text))
    })
    return () => {
      isCurrent = false
    }
  }, [text])
  return <div ref={host} className={css['markdown']} dir="auto" />
}
