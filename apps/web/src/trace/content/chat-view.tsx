// Messages of a chat: earlier turns and reasoning folded, a call beside its result.
import { useState } from 'react'
import { Button } from '../../design/button.tsx'
import { traceText } from '../../text/trace.ts'
import { JsonValue } from '../json/json-value.tsx'
import type { Message, Part } from './chat.ts'
import css from './content.module.css'
import { isRecord, writeExact } from './exact.ts'
import { Media } from './media.tsx'
import { Text } from './text.tsx'

const { detail } = traceText
/** Messages at the end that are shown at first, beside the instructions at the top. */
const lastShown = 4

interface ChatProps {
  readonly messages: readonly Message[]
  readonly isMarkdown: boolean
}

export function Chat({ messages, isMarkdown }: ChatProps) {
  const [isWhole, setWhole] = useState(false)
  const results = resultsOf(messages)
  const top = messages[0]?.role === 'system' || messages[0]?.role === 'developer' ? 1 : 0
  const hidden = isWhole ? 0 : Math.max(0, messages.length - top - lastShown)
  const shown = hidden <= 1 ? messages : [...messages.slice(0, top), ...messages.slice(top + hidden)]
  return (
    <div className={css['chat']}>
      {shown.map((message, at) => (
        <div key={at.toString()}>
          {hidden > 1 && at === top && (
            <Button look="quiet" onClick={() => setWhole(true)}>
              {detail.earlier(hidden)}
            </Button>
          )}
          <MessageView message={message} results={results} isMarkdown={isMarkdown} />
        </div>
      ))}
    </div>
  )
}

type Result = Extract<Part, { readonly kind: 'result' }>

/** By the id of their call, where that is among the messages. */
function resultsOf(messages: readonly Message[]): ReadonlyMap<string, Result> {
  const parts = messages.flatMap(message => message.parts)
  const calls = new Set(parts.flatMap(part => (part.kind === 'call' && part.id !== '' ? [part.id] : [])))
  return new Map(parts.flatMap(part => (part.kind === 'result' && calls.has(part.id) ? [[part.id, part] as const] : [])))
}

interface MessageProps {
  readonly message: Message
  readonly results: ReadonlyMap<string, Result>
  readonly isMarkdown: boolean
}

function MessageView({ message: { role, parts, finish }, results, isMarkdown }: MessageProps) {
  const own = parts.filter(part => part.kind !== 'result' || !results.has(part.id))
  if (own.length === 0 && parts.length > 0) return null
  return (
    <article className={css['message']} data-role={role}>
      <header className={css['role']}>
        {role}
        {finish !== undefined && finish !== '' && <span className={css['note']}> {finish}</span>}
      </header>
      {own.map((part, at) => (
        <PartView key={at.toString()} part={part} results={results} isMarkdown={isMarkdown} />
      ))}
      {parts.length === 0 && <p className={css['note']}>{detail.empty}</p>}
    </article>
  )
}

function PartView({
  part,
  results,
  isMarkdown,
}: {
  readonly part: Part
  readonly results: MessageProps['results']
  readonly isMarkdown: boolean
}) {
  switch (part.kind) {
    case 'text':
      return <Text text={part.text} isMarkdown={isMarkdown} />
    case 'reasoning':
      return (
        <details className={css['reasoning']}>
          <summary>{detail.reasoning}</summary>
          <Text text={part.text} isMarkdown={isMarkdown} />
        </details>
      )
    case 'call': {
      const found = results.get(part.id)
      return (
        <div className={css['call']}>
          <p className={css['tool']}>
            <span className={css['note']}>{detail.call}</span> <strong>{part.name}</strong>
            {part.id !== '' && <code className={css['id']}>{part.id}</code>}
          </p>
          <Value value={part.arguments} label={`${part.name}: ${detail.call}`} />
          {found !== undefined && <ResultView result={found} />}
        </div>
      )
    }
    case 'result':
      return (
        <div className={css['call']}>
          <ResultView result={part} />
        </div>
      )
    case 'media':
      return <Media mime={part.mime} source={part.source} />
    default:
      return <Value value={part.value} label={detail.raw} />
  }
}

function ResultView({ result: { id, name, content } }: { readonly result: Result }) {
  return (
    <>
      <p className={css['tool']}>
        <span className={css['note']}>{detail.result}</span> {name !== '' && <strong>{name}</strong>}
        {name === '' && id !== '' && <code className={css['id']}>{id}</code>}
      </p>
      <Value value={content} label={detail.result} />
    </>
  )
}

function Value({ value, label }: { readonly value: unknown; readonly label: string }) {
  if (typeof value === 'string') return <Text text={value} isMarkdown={false} />
  if (value === null || value === undefined || (isRecord(value) && Object.keys(value).length === 0))
    return <p className={css['note']}>{detail.empty}</p>
  return <JsonValue text={writeExact(value)} label={label} />
}
