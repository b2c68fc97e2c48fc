// Lets the user save the address of this page under a name, as a view.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.ts'
import { readAfterWrite } from '../api/queries.ts'
import { Button } from '../design/button.tsx'
import controls from '../design/controls.module.css'
import { type PageSearch, pageSearch, parseSearch, stringifySearch } from '../search/search.ts'
import { observationsText as text } from '../text/observations.ts'
import css from './table.module.css'

export interface ViewsProps {
  readonly project: string
  readonly search: PageSearch
  readonly onOpen: (search: PageSearch) => void
}

export function ViewsPanel({ project, search, onOpen, onClose }: ViewsProps & { readonly onClose: () => void }) {
  const queries = useQueryClient()
  const queryKey = ['views', project]
  const [name, setName] = useState('')
  const views = useQuery({ queryKey, queryFn: ({ signal }) => call('webViews.list', { project, signal }) })
  const { q, t, cols, sort, h } = search
  const onSuccess = () => {
    setName('')
    return readAfterWrite(queries, queryKey)
  }
  const saved = useMutation({
    mutationFn: () => call('webViews.save', { project, body: { name, search: stringifySearch({ q, t, cols, sort, h }).slice(1) } }),
    onSuccess,
  })
  const removed = useMutation({
    mutationFn: (viewId: string) => call('webViews.remove', { project, params: { projectId: project, viewId } }),
    onSuccess,
  })
  const error = views.error ?? saved.error ?? removed.error
  return (
    <div className={css['panel']}>
      {views.data?.data.length === 0 && <p>{text.noViews}</p>}
      <ul className={css['views']}>
        {views.data?.data.map(view => (
          <li key={view.id}>
            <Button
              look="quiet"
              title={view.search}
              onClick={() => {
                onOpen(pageSearch(parseSearch(view.search)))
                onClose()
              }}
            >
              {view.name}
            </Button>
            <Button
              look="quiet"
              aria-label={text.deleteView(view.name)}
              title={text.deleteView(view.name)}
              onClick={() => removed.mutate(view.id)}
            >
              ✕
            </Button>
          </li>
        ))}
      </ul>
      <form
        className={css['choice']}
        onSubmit={event => {
          event.preventDefault()
          saved.mutate()
        }}
      >
        <input
          className={controls['input']}
          aria-label={text.viewName}
          placeholder={text.viewName}
          maxLength={100}
          value={name}
          onChange={event => setName(event.target.value)}
        />
        <Button type="submit" disabled={name.trim() === '' || saved.isPending}>
          {text.saveView}
        </Button>
      </form>
      {error !== null && <p role="alert">{error.message}</p>}
    </div>
  )
}
