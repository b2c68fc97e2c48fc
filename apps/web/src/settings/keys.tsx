// A section that creates and deletes API keys of a project.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { basePath, call, type ResultOf } from '../api/client.ts'
import { readAfterWrite } from '../api/queries.ts'
import { Button } from '../design/button.tsx'
import { Section } from '../design/page.tsx'
import { type PlainColumn, PlainTable } from '../design/plain-table.tsx'
import { placesText } from '../text/places.ts'
import { dayAndTime } from '../text/units.ts'
import css from './settings.module.css'

type Key = ResultOf<'projects.getApiKeys'>['apiKeys'][number]

const text = placesText.settings

interface KeysProps {
  readonly organization: string
  readonly project: string
}

export function Keys({ organization, project }: KeysProps) {
  const cache = useQueryClient()
  const of = { organization, params: { projectId: project } }
  const { data, error, refetch } = useQuery({
    queryKey: ['keys', project],
    queryFn: ({ signal }) => call('projects.getApiKeys', { ...of, signal }),
  })
  const again = () => readAfterWrite(cache, ['keys', project])
  const make = useMutation({ mutationFn: () => call('projects.createApiKey', { ...of, body: {} }), onSuccess: again })
  const remove = useMutation({
    mutationFn: (apiKeyId: string) => call('projects.deleteApiKey', { organization, params: { projectId: project, apiKeyId } }),
    onSuccess: again,
  })
  const columns: readonly PlainColumn<Key>[] = [
    { title: text.publicKey, show: ({ publicKey }) => <code>{publicKey}</code> },
    { title: text.secret, show: ({ displaySecretKey }) => <code>{displaySecretKey}</code> },
    { title: text.name, show: ({ name, note }) => name ?? note },
    { title: text.created, show: ({ createdAt }) => dayAndTime(createdAt) },
    { title: text.used, show: ({ lastUsedAt }) => (lastUsedAt === null ? text.never : dayAndTime(lastUsedAt)) },
    {
      title: text.deleteKey,
      show: ({ id }) => (
        <Button look="danger" onClick={() => confirm(text.deleteSure) && remove.mutate(id)}>
          {text.deleteKey}
        </Button>
      ),
    },
  ]
  const failure = make.error ?? remove.error
  return (
    <Section title={text.keys} help={text.keysHelp}>
      <div>
        <Button look="primary" onClick={() => make.mutate()} disabled={make.isPending}>
          {text.makeKey}
        </Button>
      </div>
      {failure !== null && (
        <p role="alert" className={css['error']}>
          {failure.message}
        </p>
      )}
      {make.data && (
        <div className={css['secret']}>
          <p>{text.newSecret}</p>
          <pre tabIndex={0}>
            {[
              `SVC_PUBLIC_KEY=${make.data.publicKey}`,
              `SVC_SECRET_KEY=${make.data.secretKey}`,
              `SVC_BASE_URL=${location.origin}${basePath.replace(/\/$/, '')}`,
            ].join('\n')}
          </pre>
        </div>
      )}
      <PlainTable
        label={text.keys}
        columns={columns}
        lines={data?.apiKeys}
        keyOf={({ id }) => id}
        empty={text.noKeys}
        error={error}
        onRetry={() => void refetch()}
      />
    </Section>
  )
}
