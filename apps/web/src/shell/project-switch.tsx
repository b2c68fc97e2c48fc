// Shows the open project, with a menu of the other projects.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { meQuery, projectsOf } from '../api/me.ts'
import { Popover } from '../design/popover.tsx'
import { text } from '../text/strings.ts'
import css from './top-bar.module.css'
import { useRailProject } from './use-project.ts'

export function ProjectSwitch() {
  const projectId = useRailProject()
  const { data: me } = useQuery(meQuery)
  const projects = me ? projectsOf(me) : []
  const current = projects.find(({ id }) => id === projectId)
  return (
    <Popover
      label={`${text.shell.chooseProject}: ${current?.name ?? projectId ?? text.shell.projects}`}
      look="quiet"
      face={<Face name={current?.name ?? projectId ?? text.shell.projects} />}
    >
      {close => (
        <div className={css['list']}>
          {me?.organizations.map(organization => (
            <div key={organization.id}>
              <p className={css['group']}>{organization.name}</p>
              {organization.projects.map(({ id, name, role }) => (
                <Link
                  key={id}
                  to="/project/$projectId/observations"
                  params={{ projectId: id }}
                  search={{}}
                  className={css['item']}
                  aria-current={id === projectId}
                  onClick={close}
                >
                  {name}
                  <span className={css['zone']}>{role.toLowerCase()}</span>
                </Link>
              ))}
            </div>
          ))}
        </div>
      )}
    </Popover>
  )
}

function Face({ name }: { readonly name: string }) {
  return (
    <>
      <strong>{name}</strong>
      <span aria-hidden="true">▾</span>
    </>
  )
}
