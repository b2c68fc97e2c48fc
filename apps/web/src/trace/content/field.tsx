// Shows an input or output as a chat, JSON or text.
import { useEffect, useMemo, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Loading } from '../../design/states.tsx'
import { traceText } from '../../text/trace.ts'
import { JsonValue } from '../json/json-value.tsx'
import { readText, type TextField, type TraceRef } from '../load.ts'
import { Chat } from './chat-view.tsx'
import css from './content.module.css'
import { type Look, setLook, useLook } from './looks.ts'
import { Media } from './media.tsx'
import { Text } from './text.tsx'
import { useContent } from './use-content.ts'

const { detail } = traceText

interface FieldProps {
  readonly traceRef: TraceRef
  readonly observationId: string
  readonly field: TextField
  readonly title: string
  /** The first characters of the content. */
  readonly text: string
  readonly length: number
  readonly name: string
}

export function ContentField({ traceRef, observationId, field, title, text: firstText, length, name }: FieldProps) {
  const [whole, setWhole] = useState<{ readonly of: string; readonly text: string } | undefined>(undefined)
  const [state, setState] = useState<'idle' | 'loading' | Error>('idle')
  const key = `${traceRef.trace} ${observationId} ${field}`
  const characters = useMemo(() => countOf(firstText, length), [firstText, length])
  const isCut = characters < length && whole?.of !== key
  const text = whole?.of === key ? whole.text : firstText
  const look = useLook(name, field)
  const load = () => {
    setState('loading')
    readText(traceRef, observationId, field, new AbortController().signal).then(
      loaded => {
        setWhole({ of: key, text: loaded })
        setState('idle')
      },
      (error: unknown) => setState(error instanceof Error ? error : new Error(String(error))),
    )
  }
  // JSON can be parsed only when it is completely loaded.
  const startsAsJson = /^\s*[[{]/.test(firstText)
  useEffect(() => {
    if (isCut && startsAsJson && length < 2_000_000 && state === 'idle') load()
  })
  if (length === 0) return null
  return (
    <section className={css['field']} aria-label={title}>
      <header className={css['title']}>
        <h3>{title}</h3>
        {isCut && <span className={css['note']}>{detail.some(characters, length)}</span>}
        {isCut && (
          <Button look="quiet" onClick={load} disabled={state === 'loading'}>
            {detail.loadAll}
          </Button>
        )}
        {state instanceof Error && <span role="alert">{state.message}</span>}
        <span className={css['looks']}>
          <Button
            look="quiet"
            aria-pressed={look === 'markdown'}
            onClick={() => setLook(name, field, look === 'markdown' ? 'shown' : 'markdown')}
          >
            {detail.markdown}
          </Button>
          <Button look="quiet" aria-pressed={look === 'raw'} onClick={() => setLook(name, field, look === 'raw' ? 'shown' : 'raw')}>
            {detail.raw}
          </Button>
          <Button look="quiet" onClick={() => void navigator.clipboard.writeText(text)}>
            {detail.copy}
          </Button>
        </span>
      </header>
      <Content text={text} isCut={isCut} look={look} label={title} />
    </section>
  )
}

/** Returns the number of characters in `text`. If the text is complete and each character is one code unit, no counting is needed. */
function countOf(text: string, length: number): number {
  if (text.length === length) return length
  let count = 0
  for (const _ of text) count++
  return count
}

interface ContentProps {
  readonly text: string
  readonly isCut: boolean
  readonly look: Look
  readonly label: string
}

function Content({ text, isCut, look, label }: ContentProps) {
  const content = useContent(text, isCut)
  if (look === 'raw') return <Text text={text} isMarkdown={false} />
  switch (content.kind) {
    case 'reading':
      return <Loading rows={4} label={detail.reading} />
    case 'chat':
      return <Chat messages={content.messages} isMarkdown={look === 'markdown'} />
    case 'json':
      return <JsonValue text={text} label={label} />
    case 'media':
      return <Media mime={content.blob.type} source={content.blob} />
    case 'partOfMedia':
      return <p className={css['note']}>{detail.partOfMedia}</p>
    default:
      return <Text text={content.text} isMarkdown={look === 'markdown'} />
  }
}
