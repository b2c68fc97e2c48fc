// The navigation rail at the left. It links to the pages of the project and to the page of the installation, and contains the account menu.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { meQuery } from '../api/me.ts'
import { text } from '../text/strings.ts'
import { AccountMenu } from './account-menu.tsx'
import { placeIcons } from './place-icons.ts'
import { ownPlaces } from './places.ts'
import css from './rail.module.css'
import { useRailProject } from './use-project.ts'

function Icon({ name }: { readonly name: string }) {
  return (
    <svg className={css['icon']} viewBox="0 0 16 16" aria-hidden="true">
      <path d={placeIcons[name]} />
    </svg>
  )
}

export function Rail({ onKeys }: { readonly onKeys: () => void }) {
  const projectId = useRailProject()
  const { data: me } = useQuery(meQuery)
  return (
    <nav className={css['rail']} aria-label={text.places.navigation}>
      <Link to="/" className={css['brand']}>
        <svg viewBox="0 0 16 16" className={css['mark']} aria-hidden="true">
          <path d="M2 4h12M4 8h8M6 12h6" />
        </svg>
        {text.brand}
      </Link>
      {projectId !== undefined && (
        <ul>
          {ownPlaces.map(({ id, path }) => (
            <li key={id}>
              <Link
                to={`/project/$projectId/${path}`}
                params={{ projectId }}
                search={({ t }: { readonly t?: string | undefined }) => (t === undefined ? {} : { t })}
                className={css['place']}
                activeOptions={{ includeSearch: false }}
              >
                <Icon name={id} />
                {text.places[id]}
              </Link>
            </li>
          ))}
        </ul>
      )}
      <div className={css['end']}>
        <Link to="/system" className={css['place']}>
          <Icon name="system" />
          {text.places.system}
        </Link>
        {me && <AccountMenu me={me} onKeys={onKeys} />}
      </div>
    </nav>
  )
}
