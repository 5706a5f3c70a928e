import type { ComponentChildren } from 'preact'
import { PageHead, Panel } from './part/panel.tsx'
import { Empty } from './part/standing.tsx'
import { NAV } from './route/nav.ts'
import { Audit } from './view/audit.tsx'
import { Config } from './view/config.tsx'
import { Groups, GroupView } from './view/groups.tsx'
import { InsightsView } from './view/insights.tsx'
import { Notices } from './view/notices.tsx'
import { OperationView } from './view/operation.tsx'
import { Operations } from './view/operations.tsx'
import { OverviewView } from './view/overview.tsx'
import { ProviderView } from './view/provider.tsx'
import { Providers } from './view/providers.tsx'
import { ProxyView } from './view/proxy.tsx'
import { Runners } from './view/runners.tsx'
import { Schedules } from './view/schedules.tsx'
import { Start } from './view/start.tsx'
import { UnknownView } from './view/unknown.tsx'
import { Unknowns } from './view/unknowns.tsx'
import { WorkflowView } from './view/workflow.tsx'
import { Workflows } from './view/workflows.tsx'

/** The view of a path. */
export function viewOf([name = '', id]: readonly string[]): ComponentChildren {
  switch (name) {
    case '':
      return <OverviewView />
    case 'operations':
      return id === undefined ? <Operations /> : <OperationView id={id} />
    case 'providers':
      return id === undefined ? <Providers /> : <ProviderView id={id} />
    case 'unknowns':
      return id === undefined ? <Unknowns /> : <UnknownView fingerprint={id} />
    case 'workflows':
      return id === undefined ? <Workflows /> : <WorkflowView id={id} />
    case 'groups':
      return id === undefined ? <Groups /> : <GroupView name={id} />
    case 'notices':
      return <Notices />
    case 'proxy':
      return <ProxyView />
    case 'runners':
      return <Runners />
    case 'start':
      return <Start />
    case 'insights':
      return <InsightsView />
    case 'schedules':
      return <Schedules />
    case 'audit':
      return <Audit />
    case 'config':
      return <Config />
    default:
      return (
        <>
          <PageHead title="Page not found" />
          <Panel>
            <Empty title="There is nothing at this address">
              <a href="/">Go to the overview</a>
            </Empty>
          </Panel>
        </>
      )
  }
}

/** The title of a path. */
export function titleOf([name = '', id]: readonly string[]): string {
  return id ?? NAV.find(view => view.name === name)?.title ?? 'Not found'
}
