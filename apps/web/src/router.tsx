// The places (routes) of the app. The browser loads a page's code when a user opens it.

import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { basePath } from './api/client.ts'
import { meQuery, projectsOf } from './api/me.ts'
import { queries } from './api/queries.ts'
import { useTables } from './api/tables.ts'
import { Failed, Loading } from './design/states.tsx'
import { pageSearch, parseSearch, stringifySearch } from './search/search.ts'
import { NotFound } from './shell/not-found.tsx'
import { Shell } from './shell/shell.tsx'

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound })

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const signIn = createRoute({
  getParentRoute: () => root,
  path: 'sign-in',
  validateSearch: (given): { readonly to?: string | undefined; readonly error?: string | undefined } => ({
    to: textOf(given['to']),
    error: textOf(given['error']),
  }),
  component: lazyRouteComponent(() => import('./sign-in/sign-in-page.tsx'), 'SignInPage'),
})

const setup = createRoute({
  getParentRoute: () => root,
  path: 'setup',
  validateSearch: (given): { readonly token?: string | undefined; readonly choose?: string | undefined } => ({
    token: textOf(given['token']),
    choose: textOf(given['choose']),
  }),
  component: lazyRouteComponent(() => import('./sign-in/setup-page.tsx'), 'SetupPage'),
})

/** All routes below require a signed-in user. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  async beforeLoad({ location }) {
    const me = await queries.ensureQueryData(meQuery)
    if (me === null) {
      // A public trace requires no signed-in user.
      const [, projectId, traceId] = /^\/project\/([^/]+)\/traces\/([^/]+)\/?$/.exec(location.pathname) ?? []
      if (projectId !== undefined && traceId !== undefined)
        throw redirect({
          to: '/public/$projectId/traces/$traceId',
          params: { projectId: decodeURIComponent(projectId), traceId: decodeURIComponent(traceId) },
          search: pageSearch(location.search),
        })
      throw redirect({ to: '/sign-in', search: { to: location.href } })
    }
    return { me }
  },
  component: Shell,
})

const start = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad({ context }) {
    const [first] = projectsOf(context.me)
    if (first !== undefined) throw redirect({ to: '/project/$projectId/observations', params: { projectId: first.id }, search: {} })
  },
  component: lazyRouteComponent(() => import('./shell/no-project-page.tsx'), 'NoProjectPage'),
})

const OldPlace = lazy(() => import('./old/old-place.tsx').then(module => ({ default: module.OldPlace })))

function Project() {
  if (useTables().tables === 'new') return <Outlet />
  return (
    <Suspense fallback={<Loading />}>
      <OldPlace />
    </Suspense>
  )
}

const project = createRoute({ getParentRoute: () => signedIn, path: 'project/$projectId', validateSearch: pageSearch, component: Project })

const projectStart = createRoute({
  getParentRoute: () => project,
  path: '/',
  beforeLoad({ params }) {
    throw redirect({ to: '/project/$projectId/observations', params, search: {} })
  },
})

const observations = createRoute({
  getParentRoute: () => project,
  path: 'observations',
  component: lazyRouteComponent(() => import('./observations/observations-page.tsx'), 'ObservationsPage'),
})

const sessions = createRoute({
  getParentRoute: () => project,
  path: 'sessions',
  component: lazyRouteComponent(() => import('./sessions/sessions-page.tsx'), 'SessionsPage'),
})

const session = createRoute({
  getParentRoute: () => project,
  path: 'sessions/$sessionId',
  component: lazyRouteComponent(() => import('./sessions/session-page.tsx'), 'SessionPage'),
})

const users = createRoute({
  getParentRoute: () => project,
  path: 'users',
  component: lazyRouteComponent(() => import('./users/users-page.tsx'), 'UsersPage'),
})

const scores = createRoute({
  getParentRoute: () => project,
  path: 'scores',
  component: lazyRouteComponent(() => import('./scores/scores-page.tsx'), 'ScoresPage'),
})

const settings = createRoute({
  getParentRoute: () => project,
  path: 'settings',
  component: lazyRouteComponent(() => import('./settings/settings-page.tsx'), 'SettingsPage'),
})

const system = createRoute({
  getParentRoute: () => signedIn,
  path: 'system',
  component: lazyRouteComponent(() => import('./system/system-page.tsx'), 'SystemPage'),
})

const trace = createRoute({
  getParentRoute: () => project,
  path: 'traces/$traceId',
  component: lazyRouteComponent(() => import('./trace/trace-page.tsx'), 'TracePage'),
})

const compareTraces = createRoute({
  getParentRoute: () => project,
  path: 'traces/$traceA/compare/$traceB',
  component: lazyRouteComponent(() => import('./trace/compare/compare-page.tsx'), 'ComparePage'),
})

const publicTrace = createRoute({
  getParentRoute: () => root,
  path: 'public/$projectId/traces/$traceId',
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('./trace/trace-page.tsx'), 'PublicTracePage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    setup,
    publicTrace,
    signedIn.addChildren([
      start,
      system,
      project.addChildren([projectStart, observations, trace, compareTraces, sessions, session, users, scores, settings]),
    ]),
  ]),
  basepath: basePath,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  defaultErrorComponent: ({ error, reset }) => <Failed error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />,
  scrollRestoration: false,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
