// The messages of a chat.
import { memo, useEffect, useMemo, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { traceText } from '../../text/trace.ts'
import { JsonValue } from '../json/json-value.tsx'
import css from './content.module.css'
import { Media } from './media.tsx'
import type { Said, ShownMessage, ShownPart } from './shown-chat.ts'
import { Text } from './text.tsx'

const { detail } = traceText
const lastShown = 4

/** Each frame adds earlier messages with about this number of characters. */
const charactersOfAFrame = 30_000

interface ChatProps {
  readonly messages: readonly ShownMessage[]
  readonly isMarkdown: boolean
}

const charactersOf = ({ parts }: ShownMessage): number =>
  parts.reduce((sum, part) => sum + 200 + ('text' in part ? part.text.length : 0), 0)

/** Hides earlier messages. When the user unfolds them, each frame adds a few messages. */
function useHidden(messages: readonly ShownMessage[], top: number) {
  const [hidden, setHidden] = useState(Math.max(0, messages.length - top - lastShown))
  const [isWanted, setWanted] = useState(false)
  useEffect(() => {
    if (!isWanted || hidden === 0) return
    const frame = requestAnimationFrame(() => {
      let next = hidden
      for (let left = charactersOfAFrame; next > 0 && left > 0; next--) left -= charactersOf(messages[top + next - 1]!)
      setHidden(next)
    })
    return () => cancelAnimationFrame(frame)
  }, [isWanted, hidden, messages, top])
  return { hidden, isWanted, show: () => setWanted(true) }
}

export function Chat({ messages, isMarkdown }: ChatProps) {
  const results = useMemo(() => resultsOf(messages), [messages])
  const top = messages[0]?.role === 'system' || messages[0]?.role === 'developer' ? 1 : 0
  const { hidden, isWanted, show } = useHidden(messages, top)
  const isFolded = isWanted ? hidden > 0 : hidden > 1
  const from = isFolded ? top + hidden : top
  return (
    <div className={css['chat']}>
      {messages.slice(0, top).map(message => (
        <MessageView key="top" message={message} results={results} isMarkdown={isMarkdown} />
      ))}
      {isFolded && (
        <Button look="quiet" onClick={show} disabled={isWanted}>
          {detail.earlier(hidden)}
        </Button>
      )}
      {messages.slice(from).map((message, at) => (
        <MessageView key={(from + at).toString()} message={message} results={results} isMarkdown={isMarkdown} />
      ))}
    </div>
  )
}

type Result = Extract<ShownPart, { readonly kind: 'result' }>

function resultsOf(messages: readonly ShownMessage[]): ReadonlyMap<string, Result> {
  const parts = messages.flatMap(message => message.parts)
  const calls = new Set(parts.flatMap(part => (part.kind === 'call' && part.id !== '' ? [part.id] : [])))
  return new Map(parts.flatMap(part => (part.kind === 'result' && calls.has(part.id) ? [[part.id, part] as const] : [])))
}

interface MessageProps {
  readonly message: ShownMessage
  readonly results: ReadonlyMap<string, Result>
  readonly isMarkdown: boolean
}

const MessageView = memo(function MessageView({ message: { role, parts, finish }, results, isMarkdown }: MessageProps) {
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
})

function PartView({
  part,
  results,
  isMarkdown,
}: {
  readonly part: ShownPart
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
          <Value said={part.said} label={`${part.name}: ${detail.call}`} />
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
      return <Value said={part.said} label={detail.raw} />
  }
}

function ResultView({ result: { id, name, said } }: { readonly result: Result }) {
  return (
    <>
      <p className={css['tool']}>
        <span className={css['note']}>{detail.result}</span> {name !== '' && <strong>{name}</strong>}
        {name === '' && id !== '' && <code className={css['id']}>{id}</code>}
      </p>
      <Value said={said} label={detail.result} />
    </>
  )
}

function Value({ said, label }: { readonly said: Said; readonly label: string }) {
  if (said === undefined) return <p className={css['note']}>{detail.empty}</p>
  return typeof said === 'string' ? <Text text={said} isMarkdown={false} /> : <JsonValue text={said.json} label={label} />
}
