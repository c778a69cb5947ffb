import { AuthStatusResponse, Empty, MemberListResponse } from '../wire/messages.ts';
import { GrpcCode } from '../wire/status.ts';
import { type FrontContext, headerNow, method } from './answers.ts';
import type { Handler } from './grpc-server.ts';
import { refusal } from './maintenance-service.ts';

export function clusterService(front: FrontContext): Record<string, Handler> {
  const unsupported = refusal('k8ts etcd is one member; for a cluster run etcd and give k8ts its endpoints');
  return {
    MemberList: method(Empty, MemberListResponse, async () => ({
      header: await headerNow(front),
      members: [
        {
          id: front.memberId,
          name: front.name,
          peerUrls: [...front.peerUrls],
          clientUrls: [...front.clientUrls],
          isLearner: false,
        },
      ],
    })),
    MemberAdd: unsupported,
    MemberRemove: unsupported,
    MemberUpdate: unsupported,
    MemberPromote: unsupported,
  };
}

const authMethods = [
  'UserAdd',
  'UserGet',
  'UserList',
  'UserDelete',
  'UserChangePassword',
  'UserGrantRole',
  'UserRevokeRole',
  'RoleAdd',
  'RoleGet',
  'RoleList',
  'RoleDelete',
  'RoleGrantPermission',
  'RoleRevokePermission',
  'AuthEnable',
  'AuthDisable',
];

/** Client certificates decide who may connect; etcd's users and roles are refused by name. */
export function authService(front: FrontContext): Record<string, Handler> {
  const refused = refusal('k8ts etcd has no users and roles; require client certificates instead (--client-cert-auth)');
  return {
    ...Object.fromEntries(authMethods.map((name) => [name, refused])),
    Authenticate: refusal('etcdserver: authentication is not enabled', GrpcCode.FAILED_PRECONDITION),
    AuthStatus: method(Empty, AuthStatusResponse, async () => ({ header: await headerNow(front), enabled: false })),
  };
}
