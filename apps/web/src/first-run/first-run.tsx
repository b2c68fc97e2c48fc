// The page of a project without rows. The page explains how to send a first span, and shows when the span arrives.
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { basePath, call } from '../api/client.ts'
import { meQuery } from '../api/me.ts'
import { Button } from '../design/button.tsx'
import { firstRunText as text } from '../text/first-run.ts'
import { Arrivals } from './arrivals.tsx'
import { curl } from './curl.ts'
import css from './first-run.module.css'

const pollMs = 2_000

function useKeysOf(project: string) {
  const { data: me } = useQuery(meQuery)
  const organization = me?.organizations.find(({ projects }) => projects.some(({ id }) => id === project))?.id
  const keys = useQuery({
    queryKey: ['keys', project],
    queryFn: ({ signal }) => call('projects.getApiKeys', { organization, params: { projectId: project }, signal }),
    enabled: organization !== undefined,
    // The request fails for users who may not list keys. A retry cannot help: these users get a key from an administrator.
    retry: false,
  })
  const made = useMutation({ mutationFn: () => call('projects.createApiKey', { organization, params: { projectId: project }, body: {} }) })
  return { publicKey: made.data?.publicKey ?? keys.data?.apiKeys[0]?.publicKey, secretKey: made.data?.secretKey, made }
}

function Copy({ code }: { readonly code: string }) {
  const [isCopied, setCopied] = useState(false)
  return (
    <Button
      className={css['copy']}
      onClick={() => {
        void navigator.clipboard.writeText(code)
        setCopied(true)
      }}
    >
      {isCopied ? text.copied : text.copy}
    </Button>
  )
}

/** The examples are sent with the page's key, or with a new key if the page does not have the secret. */
function Examples({ keys: { publicKey, secretKey, made } }: { readonly keys: ReturnType<typeof useKeysOf> }) {
  const send = useMutation({
    async mutationFn() {
      const key = secretKey === undefined ? await made.mutateAsync() : { publicKey: publicKey ?? '', secretKey }
      const { sendExamples } = await import('./examples.ts')
      return sendExamples(key)
    },
  })
  return (
    <p className={css['muted']}>
      {send.data === undefined ? text.examples : text.examplesSent(String(send.data))}{' '}
      {send.data === undefined && (
        <Button onClick={() => send.mutate()} disabled={send.isPending}>
          {text.sendExamples}
        </Button>
      )}{' '}
      {send.error !== null && <span role="alert">{send.error.message}</span>}
    </p>
  )
}

export function FirstRun({ project, onArrived }: { readonly project: string; readonly onArrived: () => void }) {
  const keys = useKeysOf(project)
  const { publicKey = 'pk-...', secretKey, made } = keys
  const [chosen, setChosen] = useState('curl')
  const arrivals = useQuery({
    queryKey: ['first-rows', project],
    queryFn: ({ signal }) => call('webRows.list', { project, query: { limit: 100 }, signal }),
    refetchInterval: pollMs,
  })
  const count = arrivals.data?.data.length ?? 0
  const address = `${location.origin}${basePath.replace(/\/$/, '')}`
  const filled = { address, publicKey, secretKey: secretKey ?? 'sk-...' }
  const others = useQuery({
    queryKey: ['snippets'],
    queryFn: () => import('./snippets.ts'),
    enabled: chosen !== 'curl',
    structuralSharing: false,
  })
  const code = chosen === 'curl' ? curl(filled) : (others.data?.snippetsOf(filled).find(({ id }) => id === chosen)?.code ?? '')
  return (
    <div className={css['page']}>
      <header className={css['head']}>
        <h2>{text.title}</h2>
        <p className={css['muted']}>
          {text.listening(address)} {text.withKey} <code>{publicKey}</code>
        </p>
      </header>
      <div role="tablist" aria-label={text.ways} className={css['tabs']}>
        {text.snippets.map(({ id, title }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            aria-selected={id === chosen}
            aria-controls="snippet"
            className={css['tab']}
            onClick={() => setChosen(id)}
          >
            {title}
          </button>
        ))}
      </div>
      <div id="snippet" role="tabpanel" aria-labelledby={`tab-${chosen}`} className={css['snippet']}>
        <Copy key={chosen} code={code} />
        <pre tabIndex={0}>{code}</pre>
      </div>
      {secretKey === undefined ? (
        <p className={css['muted']}>
          {text.noSecret}{' '}
          <Button onClick={() => made.mutate()} disabled={made.isPending}>
            {text.makeKey}
          </Button>{' '}
          {made.error?.message}
        </p>
      ) : (
        <p className={css['warn']}>{text.made}</p>
      )}
      <Examples keys={keys} />
      <Arrivals project={project} />
      <p role="status" className={css['arrivals']}>
        {count === 0 ? text.waiting : text.arrived(count)} {count > 0 && <Button onClick={onArrived}>{text.open}</Button>}
      </p>
    </div>
  )
}
