// The viewer of a JSON text.
import { useEffect, useRef, useState } from 'react'
import { Loading } from '../../design/states.tsx'
import { traceText } from '../../text/trace.ts'
import { startWorker } from '../../trusted/policy.ts'
import css from './json.module.css'
import workerUrl from './json.worker.ts?worker&url'
import { type Document, documentOf, unfoldFirst } from './lines.ts'
import { type JsonIndex, scanJson } from './scan.ts'
import { createJsonView, type JsonView } from './view.ts'

/** A worker indexes texts that are longer than this, because indexing such a text takes more than a frame. */
const longText = 100_000
const searchedFrom = 2_000

function indexInWorker(text: string, done: (index: JsonIndex | undefined) => void): () => void {
  const worker = startWorker(workerUrl)
  worker.onmessage = ({ data }: MessageEvent<JsonIndex | null>) => {
    done(data ?? undefined)
    worker.terminate()
  }
  worker.postMessage(text)
  return () => worker.terminate()
}

const made = (text: string, index: JsonIndex | undefined): Document | null => {
  if (index === undefined) return null
  const document = documentOf(text, index)
  unfoldFirst(document)
  return document
}

/** Returns undefined until the text has been indexed, and null if the text is not JSON. */
function useDocument(text: string): Document | null | undefined {
  const [found, setFound] = useState<{ readonly of: string; readonly document: Document | null } | undefined>(undefined)
  useEffect(() => {
    if (text.length <= longText) return setFound({ of: text, document: made(text, scanJson(text)) })
    return indexInWorker(text, index => setFound({ of: text, document: made(text, index) }))
  }, [text])
  return found?.of === text ? found.document : undefined
}

export function JsonValue({ text, label }: { readonly text: string; readonly label: string }) {
  const document = useDocument(text)
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<JsonView>(null)
  const [isMissing, setMissing] = useState(false)
  useEffect(() => {
    if (document === undefined || document === null || host.current === null) return
    const shown = createJsonView(host.current, document)
    view.current = shown
    return () => shown.dispose()
  }, [document])
  if (document === undefined && text.length > longText) return <Loading rows={4} label={traceText.detail.reading} />
  if (document === null) return <pre className={css['host']}>{text}</pre>
  return (
    <div>
      {text.length > searchedFrom && (
        <form
          className={css['bar']}
          onSubmit={event => {
            event.preventDefault()
            const sought = new FormData(event.currentTarget).get('sought')
            setMissing(view.current?.find(String(sought)) === false)
          }}
        >
          <input
            className={css['find']}
            name="sought"
            type="search"
            placeholder={traceText.detail.searchJson}
            aria-label={`${traceText.detail.searchJson}: ${label}`}
          />
          <span role="status">{isMissing ? traceText.found(0, 0) : ''}</span>
        </form>
      )}
      <div ref={host} className={css['host']} tabIndex={0} role="application" aria-label={label} />
    </div>
  )
}
