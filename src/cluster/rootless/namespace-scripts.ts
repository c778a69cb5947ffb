/**
 * The shell scripts on the way into the namespaces. A process with threads, such as Node's, cannot make a user
 * namespace for itself, and the first process of a PID namespace has to reap orphans: a shell does both.
 */
import { DELEGATED_CONTROLLERS } from './delegation.ts';
import { LIMITS_VARIABLE } from './inside.ts';

/** Waits for the ids to be mapped; then the next program that is executed is root of the user namespace. */
const UNTIL_MAPPED = 'echo >&4; read -r _ <&4 || exit 1';

/** In the user namespace: all other namespaces, which end when their starter does. "$@" is the program. */
export const ENTER_SCRIPT = `${UNTIL_MAPPED}
cgroup=$(sed -n 's/^0:://p' /proc/self/cgroup)
enter='exec unshare --mount --net --pid --ipc --uts --fork --kill-child=KILL --mount-proc sh -c "$FIRST_PROCESS" sh "$@"'
if [ -n "$DELEGATED" ]; then
  # The namespace's root is the delegated cgroup. Processes leave it for a child: one with controllers has none itself.
  enter="mkdir -p /sys/fs/cgroup$cgroup/k8ts && echo 0 >/sys/fs/cgroup$cgroup/k8ts/cgroup.procs || DELEGATED=; $enter"
  exec setpriv --pdeathsig KILL unshare --cgroup sh -c "$enter" sh "$@" 4<&-
fi
exec setpriv --pdeathsig KILL sh -c "$enter" sh "$@" 4<&-
`;

/**
 * The first process of the PID namespace: makes /run writable with all that is in it, brings loopback up, mounts the
 * delegated cgroup, starts the program and reaps orphans until it ends. The kernel then ends all that is left.
 */
export const FIRST_PROCESS_SCRIPT = `
ip link set lo up || exit 1
mount -n -t tmpfs -o mode=755,nosuid,nodev tmpfs /tmp || exit 1
for entry in /run/*; do
  name=\${entry#/run/}
  if [ "$name" = k8ts ]; then continue
  elif [ -L "$entry" ]; then cp -P "$entry" "/tmp/$name"
  elif [ -d "$entry" ]; then mkdir "/tmp/$name" && mount -n --rbind "$entry" "/tmp/$name"
  elif [ -e "$entry" ]; then : >"/tmp/$name" && mount -n --bind "$entry" "/tmp/$name"
  fi
done 2>/dev/null
mount -n --move /tmp /run || exit 1
if [ -n "$NAMESERVER" ] && echo "nameserver $NAMESERVER" >/run/k8ts-resolv.conf; then
  mount -n --bind /run/k8ts-resolv.conf /etc/resolv.conf 2>/dev/null
fi
# The kernel refuses to mount a file system where it is mounted already, so another one comes between.
if [ -n "$DELEGATED" ] && mount -n -t tmpfs tmpfs /sys/fs/cgroup && mount -n -t cgroup2 cgroup2 /sys/fs/cgroup; then
  limits=1
  for controller in ${DELEGATED_CONTROLLERS.join(' ')}; do
    echo "+$controller" >/sys/fs/cgroup/cgroup.subtree_control || limits=
  done 2>/dev/null
  export ${LIMITS_VARIABLE}=$limits
fi
unset FIRST_PROCESS DELEGATED NAMESERVER
"$@" &
wait $!
`;

/** In a user namespace and nothing else: for files that belong to subordinate ids. */
export const AS_ROOT_SCRIPT = `${UNTIL_MAPPED}
exec "$@" 4<&-
`;
